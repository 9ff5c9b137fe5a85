// JavaPeer FOLDER: times parquet-java's own encoders and decoders on one column, with no file around them.
//
// FOLDER holds offsets.i32 (n + 1 little-endian int32, the first 0), data.u8 and, where the column may have nulls,
// validity.u8 (a byte a slot, 1 where a value is present); nulls are left out, which this layer of parquet-java
// does not know.
//
// Each line of standard input is a request and gets one line of JSON:
//
//   info                                        the versions
//   dump ENCODING FILE                          writes the values section of the page
//   time OPERATION ENCODING WAY MILLISECONDS    runs for that long, at least 3 times, and tells the median
//
//   OPERATION  encode, decode
//   ENCODING   PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY; DELTA_BINARY_PACKED: the lengths as int32
//   WAY        binary    encode: a new writer, every value as a Binary that is a slice of one array, the page as byte[]
//              columnar  decode: a new reader, every value copied into one byte[] with offsets, both made beforehand
//              integers  for DELTA_BINARY_PACKED
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
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesReader;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayReader;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter;
import org.apache.parquet.column.values.plain.BinaryPlainValuesReader;
import org.apache.parquet.column.values.plain.PlainValuesWriter;
import org.apache.parquet.io.api.Binary;

public final class JavaPeer {
  private static final int SLAB_SIZE = 64 * 1024;
  private static final int PAGE_SIZE = 4 * 1024 * 1024;

  private interface Case {
    long run() throws IOException;
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
    int count = 0;
    for (int i = 0; i < present.length; i++) {
      if (validity != null && validity[i] == 0) continue;
      present[count++] = Binary.fromConstantByteArray(data, offsets.get(i), offsets.get(i + 1) - offsets.get(i));
    }
    values = Arrays.copyOf(present, count);
    lengths = Arrays.stream(values).mapToInt(Binary::length).toArray();
    decoded = new Columnar(Arrays.stream(lengths).sum(), count);
    integers = new int[count];
  }

  private static ValuesWriter writer(String encoding) throws IOException {
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
      default:
        throw new IOException("unknown encoding " + encoding);
    }
  }

  private static ValuesReader reader(String encoding, byte[] page, int count) throws IOException {
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
      default:
        throw new IOException("unknown encoding " + encoding);
    }
    reader.initFromPage(count, ByteBufferInputStream.wrap(ByteBuffer.wrap(page)));
    return reader;
  }

  private byte[] encodeStrings(String encoding) throws IOException {
    ValuesWriter writer = writer(encoding);
    for (Binary value : values) writer.writeBytes(value);
    byte[] page = writer.getBytes().toByteArray();
    writer.close();
    return page;
  }

  private byte[] encodeIntegers() throws IOException {
    ValuesWriter writer = writer("DELTA_BINARY_PACKED");
    for (int value : lengths) writer.writeInteger(value);
    byte[] page = writer.getBytes().toByteArray();
    writer.close();
    return page;
  }

  private long decodeStrings(String encoding, byte[] page) throws IOException {
    ValuesReader reader = reader(encoding, page, values.length);
    Columnar out = decoded;
    out.end = 0;
    for (int i = 0; i < values.length; i++) {
      reader.readBytes().writeTo(out);
      out.offsets[i + 1] = out.end;
    }
    return out.end;
  }

  private long decodeIntegers(byte[] page) throws IOException {
    ValuesReader reader = reader("DELTA_BINARY_PACKED", page, integers.length);
    for (int i = 0; i < integers.length; i++) integers[i] = reader.readInteger();
    return integers.length;
  }

  private static boolean isInteger(String encoding) {
    return encoding.equals("DELTA_BINARY_PACKED");
  }

  /** Encodes the column, and decodes the page again to see that it is right. */
  private byte[] checkedPage(String encoding) throws IOException {
    byte[] page = isInteger(encoding) ? encodeIntegers() : encodeStrings(encoding);
    if (isInteger(encoding)) {
      decodeIntegers(page);
      if (!Arrays.equals(integers, lengths)) throw new IOException("wrong result: " + encoding);
      return page;
    }
    decodeStrings(encoding, page);
    for (int i = 0; i < values.length; i++) {
      int start = decoded.offsets[i];
      Binary value = Binary.fromConstantByteArray(decoded.data, start, decoded.offsets[i + 1] - start);
      if (!value.equals(values[i])) throw new IOException("wrong result: " + encoding + ", value " + i);
    }
    return page;
  }

  private Case find(String operation, String encoding) throws IOException {
    byte[] page = checkedPage(encoding);
    switch (operation) {
      case "encode":
        return isInteger(encoding) ? () -> encodeIntegers().length : () -> encodeStrings(encoding).length;
      case "decode":
        return isInteger(encoding) ? () -> decodeIntegers(page) : () -> decodeStrings(encoding, page);
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
        Files.write(Path.of(line.substring(line.indexOf(words[1]) + words[1].length() + 1)), checkedPage(words[1]));
        return "{}";
      case "time":
        String name = words[1] + " " + words[2];
        if (!cases.containsKey(name)) cases.put(name, find(words[1], words[2]));
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
