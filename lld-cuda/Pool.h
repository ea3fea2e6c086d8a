//===- Pool.h - Container of objects that never move ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A container for large objects that never move: an indexed sequence, of which
/// pointers to elements stay valid. The link's stages keep functions,
/// variables, sections, objects and files in Pools (Program.h, Inputs.h,
/// Layout.h), and LinkMemory.h its buffers. It differs from std::deque in that
/// elements lie side by side in memory, for passes over all of them: libstdc++
/// gives every element of more than 256 bytes a block of its own.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_POOL_H
#define LLD_CUDA_POOL_H

#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace lld::cuda {

/// Owns its elements. Elements can be added at the end and not removed.
template <typename T> class Pool {
  static constexpr size_t BlockSize = 16;
  struct Block {
    alignas(T) std::byte bytes[BlockSize * sizeof(T)];
  };

  /// Knows its element, not only the index: passes over all functions or
  /// sections are many.
  template <typename P, typename Element> class Iterator {
    P *pool;
    size_t index;
    Element *element;

    void enterBlock() {
      element = index < pool->count ? &(*pool)[index] : nullptr;
    }

  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Element *;
    using reference = Element &;

    Iterator(P *pool, size_t index) : pool(pool), index(index) { enterBlock(); }
    Element &operator*() const { return *element; }
    Element *operator->() const { return element; }
    Iterator &operator++() {
      ++index;
      ++element;
      if (index % BlockSize == 0)
        enterBlock();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &other) const {
      return index == other.index;
    }
    bool operator!=(const Iterator &other) const {
      return index != other.index;
    }
  };

public:
  using iterator = Iterator<Pool, T>;
  using const_iterator = Iterator<const Pool, const T>;

  Pool() = default;
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool() {
    for (T &element : *this)
      element.~T();
  }

  template <typename... Args> T &emplace_back(Args &&...args) {
    if (count % BlockSize == 0)
      blocks.push_back(std::unique_ptr<Block>(new Block));
    T *element = new (blocks.back()->bytes + count % BlockSize * sizeof(T))
        T(std::forward<Args>(args)...);
    ++count;
    return *element;
  }

  T &back() { return (*this)[count - 1]; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  /// Returns element `i`, which must be there: nothing checks that, since all
  /// passes run over pools ("Hardening" in docs/performance.md).
  T &operator[](size_t i) {
    return *std::launder(reinterpret_cast<T *>(
        blocks.data()[i / BlockSize].get()->bytes + i % BlockSize * sizeof(T)));
  }
  const T &operator[](size_t i) const { return const_cast<Pool &>(*this)[i]; }

  iterator begin() { return {this, 0}; }
  iterator end() { return {this, count}; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, count}; }

private:
  std::vector<std::unique_ptr<Block>> blocks;
  size_t count = 0;
};

} // namespace lld::cuda

#endif
