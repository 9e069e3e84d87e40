// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The instructions that netra emits, as records: text, the first PTX ISA version that has them, the first target that runs them.
/// Source: "PTX ISA Notes" and "Target ISA Notes" of each instruction in the PTX ISA 9.0 manual; tests/codegen/ptx/opcode_test.py has ptxas
/// confirm both numbers.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::ptx {

/// `isa` is 10 times the version (78: 7.8), `sm` the compute capability as in sm_90; `exact` instructions need the target's "a" form.
struct opcode {
    const char* text = "";
    u16_t isa = 60;
    u16_t sm = 50;
    bool exact = false;
};

namespace op {

// integers, conversions, control
inline constexpr opcode mov_b16{"mov.b16"}, mov_b32{"mov.b32"}, mov_b64{"mov.b64"}, mov_u32{"mov.u32"}, mov_u64{"mov.u64"}, mov_f32{"mov.f32"};
inline constexpr opcode add_u32{"add.u32"}, add_u64{"add.u64"}, sub_u32{"sub.u32"}, mul_lo_u32{"mul.lo.u32"}, mul_wide_u32{"mul.wide.u32"};
inline constexpr opcode mad_lo_u32{"mad.lo.u32"}, mad_wide_u32{"mad.wide.u32"}, mad_lo_u64{"mad.lo.u64"}, div_u32{"div.u32"}, rem_u32{"rem.u32"}, min_u32{"min.u32"}, max_u64{"max.u64"};
inline constexpr opcode and_b32{"and.b32"}, or_b32{"or.b32"}, xor_b32{"xor.b32"}, not_b32{"not.b32"}, shl_b32{"shl.b32"}, shr_u32{"shr.u32"}, shr_s32{"shr.s32"}, prmt_b32{"prmt.b32"};
inline constexpr opcode cvt_u64_u32{"cvt.u64.u32"}, cvta_shared{"cvta.to.shared.u64"}, cvta_global{"cvta.to.global.u64"};
inline constexpr opcode setp_eq_u32{"setp.eq.u32"}, setp_ne_u32{"setp.ne.u32"}, setp_lt_u32{"setp.lt.u32"}, setp_ge_u32{"setp.ge.u32"};
inline constexpr opcode setp_gt_f32{"setp.gt.f32"}, setp_lt_f32{"setp.lt.f32"}, setp_eq_f32{"setp.eq.f32"};
inline constexpr opcode selp_b32{"selp.b32"}, selp_f32{"selp.f32"}, bra{"bra"}, bra_uni{"bra.uni"}, ret{"ret"}, trap{"trap"};

// fp32
inline constexpr opcode add_f32{"add.rn.f32"}, sub_f32{"sub.rn.f32"}, mul_f32{"mul.rn.f32"}, fma_f32{"fma.rn.f32"}, div_f32{"div.rn.f32"};
inline constexpr opcode max_f32{"max.f32"}, min_f32{"min.f32"}, abs_f32{"abs.f32"}, copysign_f32{"copysign.f32"}, neg_f32{"neg.f32"}, sqrt_f32{"sqrt.rn.f32"}, ex2_f32{"ex2.approx.ftz.f32"}, rcp_f32{"rcp.rn.f32"};
inline constexpr opcode cvt_f32_f16{"cvt.f32.f16"}, cvt_f16_f32{"cvt.rn.f16.f32"}, cvt_f32_u32{"cvt.rn.f32.u32"};
inline constexpr opcode cvt_bf16_f32{"cvt.rn.bf16.f32", 70, 80}, cvt_bf16x2_f32{"cvt.rn.bf16x2.f32", 70, 80};
inline constexpr opcode cvt_f16x2_f32{"cvt.rn.f16x2.f32", 70, 80}, cvt_e4m3x2_f32{"cvt.rn.satfinite.e4m3x2.f32", 81, 89};
inline constexpr opcode cvt_f16x2_e4m3x2{"cvt.rn.f16x2.e4m3x2", 81, 89};

// memory
inline constexpr opcode ld_param_u64{"ld.param.u64"}, ld_param_u32{"ld.param.u32"};
inline constexpr opcode ld_global_b32{"ld.global.b32"}, ld_global_f32{"ld.global.f32"}, ld_global_b16{"ld.global.b16"};
inline constexpr opcode ld_global_v4_b32{"ld.global.v4.b32"}, ld_global_v4_f32{"ld.global.v4.f32"};
inline constexpr opcode ld_weights_v4_b32{"ld.global.nc.L1::no_allocate.v4.b32", 74, 70};
inline constexpr opcode ld_global_nc_b16{"ld.global.nc.b16"}, ld_global_nc_b32{"ld.global.nc.b32"}, ld_global_nc_f32{"ld.global.nc.f32"};
inline constexpr opcode st_global_b32{"st.global.b32"}, st_global_f32{"st.global.f32"}, st_global_b16{"st.global.b16"}, st_global_v4_f32{"st.global.v4.f32"};
inline constexpr opcode ld_shared_b32{"ld.shared.b32"}, ld_shared_b64{"ld.shared.b64"}, ld_shared_f32{"ld.shared.f32"}, ld_shared_v4_b32{"ld.shared.v4.b32"}, ld_shared_v4_f32{"ld.shared.v4.f32"};
inline constexpr opcode st_shared_b32{"st.shared.b32"}, st_shared_b64{"st.shared.b64"}, st_shared_f32{"st.shared.f32"}, st_shared_v4_b32{"st.shared.v4.b32"};
inline constexpr opcode ld_relaxed_b64{"ld.relaxed.gpu.global.b64", 60, 70}, ld_relaxed_v2_b64{"ld.relaxed.gpu.global.v2.b64", 60, 70};
inline constexpr opcode st_relaxed_b64{"st.relaxed.gpu.global.b64", 60, 70};
inline constexpr opcode ld_acquire_u32{"ld.acquire.gpu.global.u32", 60, 70}, st_release_u32{"st.release.gpu.global.u32", 60, 70};
inline constexpr opcode red_release_add_u32{"red.release.gpu.global.add.u32", 60, 70}, atom_add_u32{"atom.relaxed.gpu.global.add.u32", 60, 70};
inline constexpr opcode fence_gpu{"fence.acq_rel.gpu", 60, 70}, fence_system{"fence.acq_rel.sys", 60, 70};

// asynchronous copies and barriers
inline constexpr opcode cp_async_16{"cp.async.cg.shared.global", 70, 80}, cp_async_commit{"cp.async.commit_group", 70, 80}, cp_async_wait{"cp.async.wait_group", 70, 80};
inline constexpr opcode bulk_copy{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", 80, 90};
inline constexpr opcode bulk_prefetch{"cp.async.bulk.prefetch.L2.global", 80, 90};
inline constexpr opcode mbarrier_init{"mbarrier.init.shared.b64", 70, 80}, mbarrier_arrive{"mbarrier.arrive.shared.b64", 70, 80};
inline constexpr opcode mbarrier_expect{"mbarrier.arrive.expect_tx.shared.b64", 80, 90};
inline constexpr opcode mbarrier_test{"mbarrier.test_wait.parity.shared.b64", 71, 80}, mbarrier_try{"mbarrier.try_wait.parity.shared.b64", 78, 90};
inline constexpr opcode fence_mbarrier_init{"fence.mbarrier_init.release.cluster", 80, 90}, fence_async{"fence.proxy.async", 80, 90}, fence_async_shared{"fence.proxy.async.shared::cta", 80, 90};
inline constexpr opcode bar_sync{"bar.sync"}, bar_arrive{"bar.arrive"};
inline constexpr opcode setmaxnreg_up{"setmaxnreg.inc.sync.aligned.u32", 80, 90, true}, setmaxnreg_down{"setmaxnreg.dec.sync.aligned.u32", 80, 90, true};

inline constexpr opcode cp_async_arrive{"cp.async.mbarrier.arrive.noinc.shared.b64", 70, 80};

// what persistent kernels add
inline constexpr opcode setp_eq_u64{"setp.eq.u64"}, setp_ne_u64{"setp.ne.u64"}, setp_lt_u64{"setp.lt.u64"}, sub_u64{"sub.u64"}, shr_u64{"shr.u64"}, cvt_u32_u64{"cvt.u32.u64"};
inline constexpr opcode setp_lt_s32{"setp.lt.s32"}, setp_le_u32{"setp.le.u32"}, setp_gt_u32{"setp.gt.u32"}, rsqrt_f32{"rsqrt.approx.f32"}, lg2_f32{"lg2.approx.f32"};
inline constexpr opcode ld_relaxed_b32{"ld.relaxed.gpu.global.b32", 60, 70}, atom_cas_b32{"atom.relaxed.gpu.global.cas.b32", 60, 70};
inline constexpr opcode ld_volatile_shared_b32{"ld.volatile.shared.b32"}, st_volatile_shared_b32{"st.volatile.shared.b32"};
inline constexpr opcode ld_global_nc_v2_f32{"ld.global.nc.v2.f32"}, st_global_b64{"st.global.b64"};
inline constexpr opcode ld_shared_v2_b32{"ld.shared.v2.b32"}, ld_shared_v2_f32{"ld.shared.v2.f32"}, st_shared_v2_f32{"st.shared.v2.f32"}, st_shared_v4_f32{"st.shared.v4.f32"}, st_shared_b16{"st.shared.b16"};
inline constexpr opcode redux_max_u32{"redux.sync.max.u32", 70, 80};

// what draws add
inline constexpr opcode cvt_f32_s32{"cvt.rn.f32.s32"}, cvt_u64_f32{"cvt.rzi.u64.f32"}, popc_b32{"popc.b32"}, selp_b64{"selp.b64"};

// within a warp
inline constexpr opcode shfl_bfly{"shfl.sync.bfly.b32", 60, 50}, shfl_down{"shfl.sync.down.b32", 60, 50}, shfl_idx{"shfl.sync.idx.b32", 60, 50};
inline constexpr opcode bar_warp{"bar.warp.sync", 60, 50}, vote_all{"vote.sync.all.pred", 60, 50}, vote_ballot{"vote.sync.ballot.b32", 60, 50};
inline constexpr opcode ldmatrix_x4{"ldmatrix.sync.aligned.m8n8.x4.shared.b16", 65, 75};
inline constexpr opcode mma_bf16{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 70, 80}, mma_f16{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 70, 80};
inline constexpr opcode mma_e4m3{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 84, 89}, mma_s8{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 70, 80};

// predicates, and what is left
inline constexpr opcode max_u32{"max.u32"}, ld_global_v2_b32{"ld.global.v2.b32"}, and_pred{"and.pred"}, or_pred{"or.pred"}, not_pred{"not.pred"};

}  // namespace op

}  // namespace netra::inline v0::ptx
