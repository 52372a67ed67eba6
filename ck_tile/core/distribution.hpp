// SPDX-License-Identifier: MIT
// A distribution: which wave, lane, register and vector element of a block holds which element of a tile; and which rank, in
// a block that is a cluster of workgroups.
//
// Each of these is a number that runs through digits, the first digit fastest. A digit moves `stride` elements along
// dimension `dim` of the tile each time it steps; a digit of stride 0 moves nowhere: it replicates. So
//
//   distribution{.lengths = {32, 8}, .wave = {}, .lane = {{32, 0, 1}, {2, 1, 4}}, .reg = {}, .vec = {{4, 1, 1}}}
//
// says: lane l holds, of row l % 32, the four columns that start at 4 * (l / 32).
#pragma once

#include "ck_tile/core/multi_index.hpp"

#include <initializer_list>

namespace ck_tile
{

struct digit
{
    int extent = 0;
    int dim    = 0;
    int stride = 0;

    CK_TILE_FN constexpr bool moves_along(int d) const { return stride != 0 && dim == d; }

    friend constexpr bool operator==(const digit&, const digit&) = default;
};

struct digits
{
    static constexpr int capacity = 5;
    digit at[capacity]            = {};
    int count                     = 0;

    constexpr digits() = default;
    constexpr digits(digit a) { push(a); }
    constexpr digits(digit a, digit b) { push(a), push(b); }
    constexpr digits(digit a, digit b, digit c) { push(a), push(b), push(c); }
    constexpr digits(digit a, digit b, digit c, digit d) { push(a), push(b), push(c), push(d); }

    // Appends a slower digit; digits of extent 1 are dropped, so that equal layouts are equal values.
    constexpr digits& push(digit next)
    {
        if(next.extent > 1)
            at[count++] = next; // past the capacity: rejected by the compiler, this being constant evaluation
        return *this;
    }

    constexpr digits& append(const digits& more)
    {
        for(int i = 0; i < more.count; ++i)
            push(more.at[i]);
        return *this;
    }

    // How many values the number takes.
    CK_TILE_FN constexpr int size() const
    {
        int n = 1;
        for(int i = 0; i < count; ++i)
            n *= at[i].extent;
        return n;
    }

    // How far value `number` reaches along dimension `dim`.
    CK_TILE_FN constexpr int along(int dim, int number) const
    {
        int reach = 0;
        CK_TILE_UNROLL
        for(int i = 0; i < count; ++i)
        {
            if(at[i].moves_along(dim))
                reach += number % at[i].extent * at[i].stride;
            number /= at[i].extent;
        }
        return reach;
    }

    // The same digits, those of dimension `dim` alone.
    constexpr digits only(int dim) const
    {
        digits kept;
        for(int i = 0; i < count; ++i)
            if(at[i].moves_along(dim))
                kept.push(at[i]);
        return kept;
    }

    // Which value of only(dim) goes with value `number` of all digits.
    CK_TILE_FN constexpr int number_in(int dim, int number) const
    {
        int result = 0, weight = 1;
        CK_TILE_UNROLL
        for(int i = 0; i < count; ++i)
        {
            if(at[i].moves_along(dim))
            {
                result += number % at[i].extent * weight;
                weight *= at[i].extent;
            }
            number /= at[i].extent;
        }
        return result;
    }

    friend constexpr bool operator==(const digits&, const digits&) = default;
};

// A place in the block's registers.
struct slot
{
    int wave = 0;
    int lane = 0;
    int reg  = 0;
    int vec  = 0;
    int rank = 0;

    friend constexpr bool operator==(const slot&, const slot&) = default;
};

struct distribution
{
    static constexpr int max_rank = 3;
    int lengths[max_rank]         = {}; // of the tile; those not given are 1
    digits wave;
    digits lane;
    digits reg;
    digits vec;
    digits cluster = {}; // none: the block is one workgroup

    CK_TILE_FN constexpr int cluster_size() const { return cluster.size(); }
    CK_TILE_FN constexpr int waves() const { return wave.size(); } // per workgroup
    CK_TILE_FN constexpr int lanes() const { return lane.size(); } // per wave
    CK_TILE_FN constexpr int regs() const { return reg.size(); }   // vector registers per thread
    CK_TILE_FN constexpr int vecs() const { return vec.size(); }   // elements of one vector register
    CK_TILE_FN constexpr int threads() const { return cluster_size() * waves() * lanes(); }
    CK_TILE_FN constexpr int length(int dim) const { return lengths[dim] > 0 ? lengths[dim] : 1; }
    CK_TILE_FN constexpr int elements() const { return length(0) * length(1) * length(2); }

    // Coordinate along `dim` of the element at a place.
    CK_TILE_FN constexpr int locate(int dim, slot p) const
    {
        return cluster.along(dim, p.rank) + wave.along(dim, p.wave) + lane.along(dim, p.lane) + reg.along(dim, p.reg) +
               vec.along(dim, p.vec);
    }

    // How many places hold one element (1 without replication).
    constexpr int replication() const
    {
        int n = 1;
        for(const digits* level : {&cluster, &wave, &lane, &reg, &vec})
            for(int i = 0; i < level->count; ++i)
                if(level->at[i].stride == 0)
                    n *= level->at[i].extent;
        return n;
    }

    // Whether the digits of each dimension tile it without gap or overlap: sorted by stride, each starts where the one
    // before it ends, and the last ends at the tile's length.
    constexpr bool covers() const
    {
        for(const digits* level : {&cluster, &wave, &lane, &reg, &vec})
            for(int i = 0; i < level->count; ++i)
                if(level->at[i].dim < 0 || level->at[i].dim >= max_rank)
                    return false;
        for(int dim = 0; dim < max_rank; ++dim)
        {
            int reach = 1;
            for(bool grown = true; grown;)
            {
                grown = false;
                for(const digits* level : {&cluster, &wave, &lane, &reg, &vec})
                    for(int i = 0; i < level->count; ++i)
                        if(level->at[i].moves_along(dim) && level->at[i].stride == reach)
                        {
                            reach *= level->at[i].extent;
                            grown = true;
                        }
            }
            int extents = 1;
            for(const digits* level : {&cluster, &wave, &lane, &reg, &vec})
                extents *= level->only(dim).size();
            if(reach != length(dim) || extents != length(dim))
                return false;
        }
        return true;
    }

    // The dimension along which a vector register runs, and how many of its elements are contiguous there: the vector
    // access that it allows.
    constexpr int vector_dim() const { return vec.at[0].dim; }
    constexpr int contiguous() const { return vec.count == 0 || vec.at[0].stride != 1 ? 1 : vec.at[0].extent; }

    friend constexpr bool operator==(const distribution&, const distribution&) = default;
};

// The same elements of each thread in vectors of `most` at most, as one access moves; one by one, where its vectors are not contiguous. `most`
// is a power of two.
constexpr distribution in_vectors(distribution d, int most)
{
    const int own = d.vec.count == 1 ? d.contiguous() : 1, vector = own < most ? own : most;
    if(vector == d.vecs())
        return d;
    digits regs;
    for(int i = 0; i < d.vec.count; ++i)
        regs.push({d.vec.at[i].extent / vector, d.vec.at[i].dim, d.vec.at[i].stride * vector});
    const digit first = d.vec.at[0];
    d.reg             = regs.append(d.reg);
    d.vec             = vector > 1 ? digits{{vector, first.dim, 1}} : digits{};
    return d;
}

// The transposed tile, held alike.
constexpr distribution transposed(distribution d)
{
    for(digits* level : {&d.cluster, &d.wave, &d.lane, &d.reg, &d.vec})
        for(int i = 0; i < level->count; ++i)
            if(int& dim = level->at[i].dim; level->at[i].stride != 0 && dim < 2)
                dim = 1 - dim;
    const int rows = d.lengths[0];
    d.lengths[0] = d.lengths[1], d.lengths[1] = rows;
    return d;
}

namespace detail
{
// The digits without those along `dim`; with `keep`, they stay in place and replicate.
constexpr digits without(const digits& all, int dim, bool keep)
{
    digits rest;
    for(int i = 0; i < all.count; ++i)
        if(!all.at[i].moves_along(dim))
            rest.push(all.at[i]);
        else if(keep)
            rest.push({all.at[i].extent});
    return rest;
}

constexpr distribution reduced(const distribution& d, int dim)
{
    distribution r = {.lengths = {d.lengths[0], d.lengths[1], d.lengths[2]},
                      .wave    = without(d.wave, dim, true),
                      .lane    = without(d.lane, dim, true),
                      .reg     = without(d.reg, dim, false),
                      .vec     = without(d.vec, dim, false),
                      .cluster = without(d.cluster, dim, true)};
    r.lengths[dim] = 1;
    return r;
}
} // namespace detail

// The distribution of length 1 along Dim, whose element there all threads hold that D's elements along Dim are of: of a row (Dim 0), of a column
// (1), and of what reduce<Dim>() makes.
template <distribution D, int Dim>
inline constexpr distribution reduced = detail::reduced(D, Dim);

} // namespace ck_tile
