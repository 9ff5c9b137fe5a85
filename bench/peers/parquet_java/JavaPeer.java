// JavaPeer FOLDER: times parquet-java's own encoders and decoders on one column, with no file around them.
//
// FOLDER holds offsets.i32 (n + 1 little-endian int32, the first 0), data.u8 and, where the column may have nulls,
// validity.u8 (a byte a slot, 1 where a value is present); nulls are left out, which this layer of parquet-java
// does not know.
//
// Each line of standard input is a request and gets one line of JSON:
//
//   info                                        the versions
//   dump ENCODING FILE                          writes the values section of the page, and the page of the dictionary
//                                               to FILE.dictionary
//   time OPERATION ENCODING WAY MILLISECONDS    runs for that long, at least 3 times, and tells the median
//
//   OPERATION  encode, decode
//   ENCODING   PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, RLE_DICTIONARY; DELTA_BINARY_PACKED: the lengths as
//              int32; levels: the definition levels of an optional column, as in a data page of version 1
//   WAY        binary    encode: a new writer, every value as a Binary that is a slice of one array, the page as byte[]
//              columnar  decode: a new reader, every value copied into one byte[] with offsets, both made beforehand
//              integers  for DELTA_BINARY_PACKED and levels; for RLE_DICTIONARY, decode: the indices
//
// For RLE_DICTIONARY the page of the dictionary is part of both: written, and read into a new Dictionary.
//
// The first requests run in a cold JVM: ask once for two seconds or so before it counts. Ask each process for one case
// only (one operation and encoding), for the call sites of one case spoil another's. Before anything is timed or
// dumped, the page is decoded and checked.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesReader;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayReader;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter;
import org.apache.parquet.column.values.dictionary.DictionaryValuesReader;
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter.PlainBinaryDictionaryValuesWriter;
import org.apache.parquet.column.values.dictionary.PlainValuesDictionary.PlainBinaryDictionary;
import org.apache.parquet.column.values.plain.BinaryPlainValuesReader;
import org.apache.parquet.column.values.plain.PlainValuesWriter;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesReader;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridValuesWriter;
import org.apache.parquet.io.api.Binary;

public final class JavaPeer {
  private static final int SLAB_SIZE = 64 * 1024;
  private static final int PAGE_SIZE = 4 * 1024 * 1024;
  private static final int LEVELS_SLAB_SIZE = 64; // as ParquetProperties has it
  private static final int LEVEL_WIDTH = 1;

  private interface Case {
    long run() throws IOException;
  }

  /** What goes into a file: the values section of a data page, and for RLE_DICTIONARY the dictionary page before it. */
  private static final class Page {
    final byte[] values;
    final byte[] dictionary;
    final int entries;

    /** What the writer has written, which then ends. */
    Page(ValuesWriter writer) throws IOException {
      values = writer.getBytes().toByteArray();
      DictionaryPage page = writer.toDictPageAndClose();
      dictionary = page == null ? new byte[0] : page.getBytes().toByteArray();
      entries = page == null ? 0 : page.getDictionarySize();
      writer.close();
    }
  }

  /** Where decoded values go. */
  private static final class Columnar extends OutputStream {
    final byte[] data;
    final int[] offsets;
    int end;

    Columnar(int size, int count) {
      data = new byte[size];
      offsets = new int[count + 1];
    }

    @Override
    public void write(int value) {
      data[end++] = (byte) value;
    }

    @Override
    public void write(byte[] from, int start, int length) {
      System.arraycopy(from, start, data, end, length);
      end += length;
    }
  }

  private static volatile long sink; // what the compiler must believe is used

  private final Binary[] values;
  private final int[] lengths;
  private final int[] levels; // 1 where a value is present
  private final int dictionaryRoom;
  private final Columnar decoded;
  private final int[] integers;
  private final Map<String, Case> cases = new HashMap<>();

  private JavaPeer(Path folder) throws IOException {
    IntBuffer offsets =
        ByteBuffer.wrap(Files.readAllBytes(folder.resolve("offsets.i32"))).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
    byte[] data = Files.readAllBytes(folder.resolve("data.u8"));
    Path validityFile = folder.resolve("validity.u8");
    byte[] validity = Files.exists(validityFile) ? Files.readAllBytes(validityFile) : null;
    Binary[] present = new Binary[offsets.remaining() - 1];
    levels = new int[present.length];
    int count = 0;
    for (int i = 0; i < present.length; i++) {
      if (validity != null && validity[i] == 0) continue;
      levels[i] = 1;
      present[count++] = Binary.fromConstantByteArray(data, offsets.get(i), offsets.get(i + 1) - offsets.get(i));
    }
    values = Arrays.copyOf(present, count);
    lengths = Arrays.stream(values).mapToInt(Binary::length).toArray();
    decoded = new Columnar(Arrays.stream(lengths).sum(), count);
    dictionaryRoom = Math.max(PAGE_SIZE, decoded.data.length + Integer.BYTES * count); // all values may be in it
    integers = new int[levels.length];
  }

  private ValuesWriter writer(String encoding) throws IOException {
    HeapByteBufferAllocator heap = new HeapByteBufferAllocator();
    switch (encoding) {
      case "PLAIN":
        return new PlainValuesWriter(SLAB_SIZE, PAGE_SIZE, heap);
      case "DELTA_LENGTH_BYTE_ARRAY":
        return new DeltaLengthByteArrayValuesWriter(SLAB_SIZE, PAGE_SIZE, heap);
      case "DELTA_BYTE_ARRAY":
        return new DeltaByteArrayWriter(SLAB_SIZE, PAGE_SIZE, heap);
      case "DELTA_BINARY_PACKED":
        return new DeltaBinaryPackingValuesWriterForInteger(SLAB_SIZE, PAGE_SIZE, heap);
      case "RLE_DICTIONARY":
        return new PlainBinaryDictionaryValuesWriter(dictionaryRoom, Encoding.RLE_DICTIONARY, Encoding.PLAIN, heap);
      case "levels":
        return new RunLengthBitPackingHybridValuesWriter(LEVEL_WIDTH, LEVELS_SLAB_SIZE, PAGE_SIZE, heap);
      default:
        throw new IOException("unknown encoding " + encoding);
    }
  }

  private static ValuesReader reader(String encoding, Page page, int count) throws IOException {
    ValuesReader reader;
    switch (encoding) {
      case "PLAIN":
        reader = new BinaryPlainValuesReader();
        break;
      case "DELTA_LENGTH_BYTE_ARRAY":
        reader = new DeltaLengthByteArrayValuesReader();
        break;
      case "DELTA_BYTE_ARRAY":
        reader = new DeltaByteArrayReader();
        break;
      case "DELTA_BINARY_PACKED":
        reader = new DeltaBinaryPackingValuesReader();
        break;
      case "RLE_DICTIONARY":
        BytesInput dictionary = BytesInput.from(page.dictionary);
        reader =
            new DictionaryValuesReader(
                new PlainBinaryDictionary(new DictionaryPage(dictionary, page.entries, Encoding.PLAIN)));
        break;
      case "levels":
        reader = new RunLengthBitPackingHybridValuesReader(LEVEL_WIDTH);
        break;
      default:
        throw new IOException("unknown encoding " + encoding);
    }
    reader.initFromPage(count, ByteBufferInputStream.wrap(ByteBuffer.wrap(page.values)));
    return reader;
  }

  private Page encodeStrings(String encoding) throws IOException {
    ValuesWriter writer = writer(encoding);
    for (Binary value : values) writer.writeBytes(value);
    return new Page(writer);
  }

  private Page encodeIntegers(String encoding, int[] from) throws IOException {
    ValuesWriter writer = writer(encoding);
    for (int value : from) writer.writeInteger(value);
    return new Page(writer);
  }

  private long decodeStrings(String encoding, Page page) throws IOException {
    ValuesReader reader = reader(encoding, page, values.length);
    Columnar out = decoded;
    out.end = 0;
    for (int i = 0; i < values.length; i++) {
      reader.readBytes().writeTo(out);
      out.offsets[i + 1] = out.end;
    }
    return out.end;
  }

  private long decodeIntegers(String encoding, Page page, int count) throws IOException {
    ValuesReader reader = reader(encoding, page, count);
    for (int i = 0; i < count; i++) integers[i] = reader.readInteger();
    return count;
  }

  private long decodeIndices(Page page) throws IOException {
    ValuesReader reader = reader("RLE_DICTIONARY", page, values.length);
    for (int i = 0; i < values.length; i++) integers[i] = reader.readValueDictionaryId();
    return values.length;
  }

  /** The integers that an encoding is of; null if it is of strings. */
  private int[] integersOf(String encoding) {
    switch (encoding) {
      case "DELTA_BINARY_PACKED":
        return lengths;
      case "levels":
        return levels;
      default:
        return null;
    }
  }

  /** Encodes the column, and decodes the page again to see that it is right. */
  private Page checkedPage(String encoding) throws IOException {
    int[] from = integersOf(encoding);
    if (from != null) {
      Page page = encodeIntegers(encoding, from);
      decodeIntegers(encoding, page, from.length);
      if (!Arrays.equals(integers, 0, from.length, from, 0, from.length)) {
        throw new IOException("wrong result: " + encoding);
      }
      return page;
    }
    Page page = encodeStrings(encoding);
    decodeStrings(encoding, page);
    for (int i = 0; i < values.length; i++) {
      int start = decoded.offsets[i];
      Binary value = Binary.fromConstantByteArray(decoded.data, start, decoded.offsets[i + 1] - start);
      if (!value.equals(values[i])) throw new IOException("wrong result: " + encoding + ", value " + i);
    }
    return page;
  }

  private Case find(String operation, String encoding, String way) throws IOException {
    Page page = checkedPage(encoding);
    int[] from = integersOf(encoding);
    switch (operation) {
      case "encode":
        if (from != null) return () -> encodeIntegers(encoding, from).values.length;
        return () -> encodeStrings(encoding).values.length;
      case "decode":
        if (from != null) return () -> decodeIntegers(encoding, page, from.length);
        return way.equals("integers") ? () -> decodeIndices(page) : () -> decodeStrings(encoding, page);
      default:
        throw new IOException("unknown operation " + operation);
    }
  }

  private static String time(Case timed, long milliseconds) throws IOException {
    long[] times = new long[1024];
    int runs = 0;
    long end = System.nanoTime() + milliseconds * 1_000_000;
    for (long now = 0; now - end < 0 || runs < 3; ) {
      long start = System.nanoTime();
      sink = timed.run();
      now = System.nanoTime();
      if (runs == times.length) times = Arrays.copyOf(times, 2 * runs);
      times[runs++] = now - start;
    }
    times = Arrays.copyOf(times, runs);
    Arrays.sort(times);
    return String.format("{\"ns\": %d, \"runs\": %d}", times[runs / 2], runs);
  }

  private String answer(String line) throws IOException {
    String[] words = line.split(" ");
    switch (words[0]) {
      case "info":
        return String.format(
            "{\"version\": \"%s\", \"java\": \"%s\"}",
            DeltaByteArrayWriter.class.getPackage().getImplementationVersion(), System.getProperty("java.version"));
      case "dump":
        String file = line.substring(line.indexOf(words[1]) + words[1].length() + 1);
        Page page = checkedPage(words[1]);
        Files.write(Path.of(file), page.values);
        Files.write(Path.of(file + ".dictionary"), page.dictionary);
        return "{}";
      case "time":
        String name = String.join(" ", words[1], words[2], words[3]);
        if (!cases.containsKey(name)) cases.put(name, find(words[1], words[2], words[3]));
        return time(cases.get(name), Long.parseLong(words[4]));
      default:
        throw new IOException("unknown request: " + line);
    }
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("usage: JavaPeer FOLDER");
      System.exit(2);
    }
    JavaPeer peer = new JavaPeer(Path.of(arguments[0]));
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      System.out.println(peer.answer(line));
    }
  }
}
