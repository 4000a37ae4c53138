"""read_shard.py FORMAT FILE: prints every sample of a shard as a line of JSON: [key, {field: hexadecimal}].

Written from the public descriptions of the formats and from docs/SHARDS.md, with the standard library only: knows
nothing of the program that wrote the shard.
"""
import json
import struct
import sys

TABLE = []
for number in range(256):
    for _ in range(8):
        number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
    TABLE.append(number)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def message(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        assert tag & 7 == 2, 'only delimited fields occur'
        length, at = varint(data, at)
        yield tag >> 3, data[at:at + length]
        at += length
    assert at == len(data)


def example(data):
    features = {}
    for _, outer in message(data):
        for _, entry in message(outer):
            pair = dict(message(entry))
            (kind, values), = message(pair[2])
            (_, value), = message(values)
            if kind == 3:
                number, end = varint(value, 0)
                assert end == len(value)
                value = str(number - (1 << 64) if number >> 63 else number).encode()
            features[pair[1].decode()] = value
    return features.pop('__key__').decode(), features


def tfrecord(data):
    at = 0
    while at < len(data):
        length, check = struct.unpack_from('<QI', data, at)
        assert check == masked(data[at:at + 8])
        content = data[at + 12:at + 12 + length]
        assert struct.unpack_from('<I', data, at + 12 + length)[0] == masked(content)
        yield example(content)
        at += 16 + length


def mds(data):
    count, = struct.unpack_from('<I', data)
    offsets = struct.unpack_from('<%dI' % (count + 1), data, 4)
    config = json.loads(data[8 + 4 * count:offsets[0]])
    assert (config['format'], config['version']) == ('mds', 2)
    assert config['column_names'] == sorted(config['column_names'])
    for begin, end in zip(offsets, offsets[1:]):
        sample = data[begin:end]
        at, sizes = 0, []
        for size in config['column_sizes']:
            if size is None:
                size, = struct.unpack_from('<I', sample, at)
                at += 4
            sizes.append(size)
        columns = {}
        for name, encoding, size in zip(config['column_names'], config['column_encodings'], sizes):
            value = sample[at:at + size]
            columns[name] = str(struct.unpack('<q', value)[0]).encode() if encoding == 'int' else value
            at += size
        assert at == len(sample)
        yield columns.pop('__key__').decode(), columns


def records(data):
    header, footer = data[:64], data[-64:]
    assert header[:12] == b'VOLREC01\1\0\0\0' and footer[:12] == b'VOLRECIX\1\0\0\0'
    for block in header, footer:
        assert struct.unpack_from('<I', block, 60)[0] == crc32c(block[:60])
    check, count, index, keys = struct.unpack_from('<IQQQ', footer, 12)
    assert check == crc32c(data[index:-64]) and keys == index + 24 * count
    for i in range(count):
        offset, length, key = struct.unpack_from('<QQQ', data, index + 24 * i)
        record = data[offset:offset + length]
        head, key_length, fields = struct.unpack_from('<IHH', record)
        assert struct.unpack_from('<I', record, 4 + head)[0] == crc32c(record[:4 + head])
        name = record[8:8 + key_length].decode()
        assert data[keys + key:keys + key + key_length].decode() == name
        at, begin, values = 8 + key_length, 8 + head, {}
        for _ in range(fields):
            size, name_length = struct.unpack_from('<QH', record, at)
            value = record[begin:begin + size]
            assert struct.unpack_from('<I', record, begin + size)[0] == crc32c(value)
            values[record[at + 10:at + 10 + name_length].decode()] = value
            at += 10 + name_length
            begin += size + 4
        assert begin == length and at == 4 + head
        yield name, values


def tokens(data):
    magic, version, width, count, length, padding, check = struct.unpack_from('<8sIIQQQI', data)
    assert (magic, version) == (b'VOLTOK01', 1)
    assert struct.unpack_from('<I', data, 60)[0] == crc32c(data[:60]) and check == crc32c(data[64:])
    assert len(data) == 64 + -(-count // length) * length * width
    for i, at in enumerate(range(64, len(data), length * width)):
        yield '%08d' % i, {'u%d' % (8 * width): data[at:at + length * width]}


def shard(data):
    magic, samples, dimension = struct.unpack_from('!8sQQ', data)
    kind = data[24:32].rstrip(b'\0').decode()
    assert magic == b'SHARD001' and struct.unpack_from('<I', data, 32)[0] == crc32c(data[64:])
    assert struct.unpack_from('<I', data, 60)[0] == crc32c(data[:60])
    size = dimension * int(kind[1:]) // 8
    assert len(data) == 64 + samples * size
    for i in range(samples):
        yield '%08d' % i, {kind: data[64 + i * size:64 + (i + 1) * size]}


if __name__ == '__main__':
    for key, fields in globals()[sys.argv[1]](open(sys.argv[2], 'rb').read()):
        print(json.dumps([key, {name: value.hex() for name, value in fields.items()}], ensure_ascii=False))
