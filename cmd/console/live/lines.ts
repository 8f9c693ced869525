/** The lines of a response as they arrive. An unterminated last line is dropped, as it was cut off. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    // Its type accepts any BufferSource; the chunks of a body are of type Uint8Array.
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield line;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
