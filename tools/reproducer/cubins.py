# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes cubins small: leaves out what a bug doesn't need."""
import struct

EM_CUDA = 190
SHT_NULL, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_REL = 0, 2, 3, 4, 9
SHT_NOBITS = (8, 0x70000007, 0x70000009, 0x7000000A, 0x70000015)
SHF_INFO_LINK = 0x40


def smallest(items, holds):
    """The items without those that aren't needed (delta debugging)."""
    size = len(items)
    while items and size:
        position, removed = 0, False
        while position < len(items):
            rest = items[:position] + items[position + size:]
            if holds(rest):
                items, removed = rest, True
            else:
                position += size
        if not removed or size > len(items):
            size = min(size // 2, len(items))
    return items


class Cubin:
    """An ELF file as header and sections. Raises ValueError if it isn't one
    that can be taken apart."""

    HEADER, SECTION = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ")
    TYPE, FLAGS, OFFSET, SIZE, LINK, INFO, ALIGN, ENTRY = 1, 2, 4, 5, 6, 7, 8, 9

    def __init__(self, data):
        if len(data) < 64 or data[:5] != b"\x7fELF\x02":
            raise ValueError
        self.header = list(self.HEADER.unpack_from(data))
        if self.header[2] != EM_CUDA or self.header[11] != 64 or self.header[9]:
            raise ValueError
        start, count = self.header[6], self.header[12]
        if count == 0 or start + 64 * count > len(data):
            raise ValueError
        self.sections = []
        left = len(data)  # Sections that overlap could be many times the file.
        for i in range(count):
            fields = list(self.SECTION.unpack_from(data, start + 64 * i))
            content = b""
            if fields[self.TYPE] not in (SHT_NULL, *SHT_NOBITS):
                end = fields[self.OFFSET] + fields[self.SIZE]
                left -= fields[self.SIZE]
                if end > len(data) or left < 0:
                    raise ValueError
                content = data[fields[self.OFFSET]:end]
            self.sections.append((tuple(fields), content))

    def copy(self):
        other = object.__new__(Cubin)
        other.header, other.sections = list(self.header), list(self.sections)
        return other

    def bytes(self):
        out, table = bytearray(64), bytearray()
        for fields, content in self.sections:
            fields = list(fields)
            if fields[self.TYPE] != SHT_NULL:
                out += bytes(-len(out) % max(1, min(fields[self.ALIGN], 4096)))
                fields[self.OFFSET] = len(out)
                if content or fields[self.TYPE] not in SHT_NOBITS:
                    fields[self.SIZE] = len(content)
                out += content
            table += self.SECTION.pack(*fields)
        out += bytes(-len(out) % 8)
        header = list(self.header)
        header[5], header[6], header[12] = 0, len(out), len(self.sections)
        out[:64] = self.HEADER.pack(*header)
        return bytes(out + table)

    def emptied(self, indices):
        """The sections as null sections, which keeps the others' numbers."""
        other = self.copy()
        for i in indices:
            other.sections[i] = ((0,) * 10, b"")
        return other

    def with_content(self, index, content):
        other = self.copy()
        other.sections[index] = (self.sections[index][0], content)
        return other

    def without_null(self):
        """Renumbers the sections. Numbers in contents stay as they are, so the
        result may be something else; that is tried."""
        kept = [i for i, (f, _) in enumerate(self.sections) if i == 0 or f[self.TYPE]]
        number = dict.fromkeys(range(len(self.sections)), 0)
        number.update((old, new) for new, old in enumerate(kept))

        def new(index):
            return number.get(index, index)

        other = self.copy()
        other.sections = []
        for i in kept:
            fields, content = list(self.sections[i][0]), self.sections[i][1]
            fields[self.LINK] = new(fields[self.LINK])
            if fields[self.TYPE] in (SHT_REL, SHT_RELA) or fields[self.FLAGS] & SHF_INFO_LINK:
                fields[self.INFO] = new(fields[self.INFO])
            if fields[self.TYPE] == SHT_SYMTAB:
                symbols = bytearray(content)
                for at in range(6, len(symbols) - 1, 24):
                    (section,) = struct.unpack_from("<H", symbols, at)
                    struct.pack_into("<H", symbols, at, new(section))
                content = bytes(symbols)
            other.sections.append((tuple(fields), content))
        # e_shstrndx, and the number of .note.nv.cuinfo in e_flags.
        other.header[13] = new(self.header[13])
        other.header[7] = new(self.header[7] >> 24) << 24 | self.header[7] & 0xFFFFFF
        return other

    def without_null_symbols(self):
        """The same for symbols, with their numbers in relocations and in sh_info
        of functions."""
        other = self.copy()
        tables = [i for i, (f, _) in enumerate(self.sections) if f[self.TYPE] == SHT_SYMTAB]
        if len(tables) != 1:
            return other
        fields, content = self.sections[tables[0]]
        entries = [content[i:i + 24] for i in range(0, len(content) - 23, 24)]
        kept = [i for i, e in enumerate(entries) if i == 0 or any(e)]
        number = {old: new for new, old in enumerate(kept)}
        for i, (fields, content) in enumerate(self.sections):
            fields = list(fields)
            if i == tables[0]:
                content = b"".join(entries[k] for k in kept)
                fields[self.INFO] = sum(k < fields[self.INFO] for k in kept)
            elif fields[self.TYPE] in (SHT_REL, SHT_RELA):
                relocations = bytearray(content)
                step = 24 if fields[self.TYPE] == SHT_RELA else 16
                for at in range(12, len(relocations) - 3, step):
                    (symbol,) = struct.unpack_from("<I", relocations, at)
                    struct.pack_into("<I", relocations, at, number.get(symbol, 0))
                content = bytes(relocations)
            elif fields[self.FLAGS] & 4 and fields[self.LINK] == tables[0]:
                info = fields[self.INFO]
                fields[self.INFO] = info & 0xFF000000 | number.get(info & 0xFFFFFF, 0)
            other.sections[i] = (tuple(fields), content)
        return other


def shrink_cubin(cubin, holds):
    """The cubin without what isn't needed; HOLDS is asked for each attempt."""
    # Once more, since a section may be in the way of another.
    while True:
        before = cubin.bytes()
        # YAML needs the symbol table and the string tables.
        used = [i for i, (f, _) in enumerate(cubin.sections)
                if f[Cubin.TYPE] not in (SHT_NULL, SHT_STRTAB, SHT_SYMTAB)]
        whole = cubin
        needed = smallest(used, lambda rest: holds(whole.emptied(set(used) - set(rest))))
        cubin = whole.emptied(set(used) - set(needed))
        for i, (fields, _) in enumerate(cubin.sections):
            if fields[Cubin.TYPE] not in (SHT_NULL, SHT_STRTAB):
                cubin = shrink_section(cubin, i, holds)
        for candidate in (Cubin.without_null, Cubin.without_null_symbols):
            candidate = candidate(cubin)
            if candidate.bytes() != cubin.bytes() and holds(candidate):
                cubin = candidate
        if cubin.bytes() == before:
            return cubin


def shrink_section(cubin, index, holds):
    fields, content = cubin.sections[index]
    size = fields[Cubin.ENTRY]
    if size in (8, 16, 24) and content and len(content) % size == 0:
        entries = [content[i:i + size] for i in range(0, len(content), size)]
        if fields[Cubin.TYPE] == SHT_SYMTAB:
            # Others have numbers that must stay: null symbols.
            symbols = [i for i, e in enumerate(entries) if any(e)]

            def table(kept):
                kept = set(kept)
                return b"".join(e if i in kept else bytes(size) for i, e in enumerate(entries))

            needed = smallest(symbols, lambda k: holds(cubin.with_content(index, table(k))))
            content = table(needed)
            end = max([i + 1 for i in needed] or [1]) * size
            if holds(cubin.with_content(index, content[:end])):
                content = content[:end]
        else:
            entries = smallest(entries, lambda k: holds(cubin.with_content(index, b"".join(k))))
            content = b"".join(entries)
        return cubin.with_content(index, content)
    for attempt in (b"", bytes(len(content))):
        if attempt != content and holds(cubin.with_content(index, attempt)):
            return cubin.with_content(index, attempt)
    return cubin


class StringTable:
    def __init__(self, content):
        self.old, self.new, self.offsets = content, bytearray(b"\0"), {b"": 0}

    def move(self, offset):
        """Takes over the string at the offset in the old table."""
        end = self.old.find(b"\0", offset)
        name = self.old[offset:end] if 0 <= offset <= end else b""
        if name not in self.offsets:
            self.offsets[name] = len(self.new)
            self.new += name + b"\0"
        return self.offsets[name]


def shrink_strings(cubin, holds):
    """String tables with nothing but the names of sections and of symbols."""
    index = cubin.header[13]
    if index < len(cubin.sections):
        other, strings = cubin.copy(), StringTable(cubin.sections[index][1])
        other.sections = [((strings.move(f[0]), *f[1:]), c) for f, c in cubin.sections]
        other = other.with_content(index, bytes(strings.new))
        if holds(other):
            cubin = other
    for i, (fields, content) in enumerate(cubin.sections):
        index = fields[Cubin.LINK]
        if fields[Cubin.TYPE] != SHT_SYMTAB or not 0 < index < len(cubin.sections):
            continue
        strings, symbols = StringTable(cubin.sections[index][1]), bytearray(content)
        for at in range(0, len(symbols) - 23, 24):
            struct.pack_into("<I", symbols, at, strings.move(*struct.unpack_from("<I", symbols, at)))
        other = cubin.with_content(i, bytes(symbols)).with_content(index, bytes(strings.new))
        if holds(other):
            cubin = other
    return cubin
