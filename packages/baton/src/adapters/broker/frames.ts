import type { Socket } from 'node:net'

/** The frames between a program in the sandbox and the daemon: a kind (1 byte), a length (4 bytes) and the content. */
export type FrameKind = 'json' | 'out' | 'err' | 'data' | 'end'

const KINDS: readonly FrameKind[] = ['json', 'out', 'err', 'data', 'end']
const HEADER = 5

export interface Frame {
  kind: FrameKind
  content: Buffer
}

export function encodeFrame(kind: FrameKind, content: Uint8Array = new Uint8Array()): Buffer {
  const header = Buffer.alloc(HEADER)
  header.writeUInt8(KINDS.indexOf(kind), 0)
  header.writeUInt32BE(content.length, 1)
  return Buffer.concat([header, content])
}

export const encodeJson = (value: unknown): Buffer => encodeFrame('json', Buffer.from(JSON.stringify(value)))

/** Collects bytes into frames. Throws on an unknown kind and on a frame that is longer than `longest`. */
export class FrameReader {
  readonly #longest: number
  #chunks: Buffer[] = []
  #size = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  push(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    const frames: Frame[] = []
    for (;;) {
      if (this.#size < HEADER) return frames
      const start = this.#joinedTo(HEADER)
      const kind = KINDS[start.readUInt8(0)]
      const length = start.readUInt32BE(1)
      if (kind === undefined) throw new Error('This is not a frame of the broker.')
      if (length > this.#longest) throw new Error('The message is too long.')
      if (this.#size < HEADER + length) return frames
      const all = this.#joinedTo(HEADER + length)
      frames.push({ kind, content: all.subarray(HEADER, HEADER + length) })
      this.#chunks = [all.subarray(HEADER + length)]
      this.#size -= HEADER + length
    }
  }

  /** One buffer with at least this many bytes; joins only as often as needed. */
  #joinedTo(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks
    if (first.length >= length) return first
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }
}

const LONGEST_RECEIVED = 64 * 1024 * 1024

/** Frames from the daemon, in the order in which they came. */
export class Inbox {
  readonly #frames: Frame[] = []
  readonly #reader = new FrameReader(LONGEST_RECEIVED)
  readonly #socket: Socket
  #wake: (() => void) | undefined
  #over = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(...this.#reader.push(chunk))
      // What is not read yet waits in the daemon, not in memory here.
      if (this.#frames.length > 64) socket.pause()
      this.#wake?.()
    })
    socket.on('close', () => {
      this.#over = true
      this.#wake?.()
    })
  }

  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift()
      if (this.#frames.length === 0) this.#socket.resume()
      if (frame) return frame
      if (this.#over) return { kind: 'end', content: Buffer.alloc(0) }
      await new Promise<void>(wake => {
        this.#wake = wake
      })
    }
  }
}
