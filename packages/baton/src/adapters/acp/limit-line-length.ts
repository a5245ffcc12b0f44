const LINE_BREAK = 10

/** Breaks off where a line grows beyond reason: whoever reads it holds it in memory until it ends. */
export function limitLineLength(
  longest: number,
  onEndless: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(LINE_BREAK)
      size = end < 0 ? size + chunk.length : chunk.length - end - 1
      if (size <= longest) return controller.enqueue(chunk)
      controller.error(new RangeError('A line without end'))
      onEndless()
    },
  })
}
