/**
 * The parts of the web's Request, Response and Headers that Hono uses. Node's own classes load its whole fetch: about
 * 7 MB and 70 to 170 ms of processor time in every daemon. `scripts/bundle.ts` gives these to Hono in the built program.
 */
type HeaderSource = Iterable<readonly [string, string]> | Readonly<Record<string, string>>

export class Headers {
  readonly #values = new Map<string, string[]>()

  constructor(source: HeaderSource = []) {
    const pairs = Symbol.iterator in source ? source : Object.entries(source)
    for (const [name, value] of pairs) this.append(name, value)
  }

  append(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [...(this.#values.get(name.toLowerCase()) ?? []), String(value)])
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [String(value)])
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  getSetCookie(): string[] {
    return this.#values.get('set-cookie') ?? []
  }

  *entries(): Generator<[string, string]> {
    for (const [name, values] of this.#values)
      if (name === 'set-cookie') for (const value of values) yield [name, value]
      else yield [name, values.join(', ')]
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this.entries()) visit(value, name)
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries()
  }
}

/** A message whose body is read at most once, as text, JSON or bytes. */
abstract class Body {
  bodyUsed = false
  protected abstract bytes(): Promise<Uint8Array>

  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.bodyUsed) throw new TypeError('The body has already been read')
    this.bodyUsed = true
    return new Uint8Array(await this.bytes()).buffer
  }

  async text(): Promise<string> {
    return Buffer.from(await this.arrayBuffer()).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

export interface RequestParts {
  method: string
  headers: Headers
  /** Undefined if the request has no body. */
  body?: AsyncIterable<Uint8Array> | undefined
}

export class Request extends Body {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: AsyncIterable<Uint8Array> | null

  constructor(url: string, { method, headers, body }: RequestParts) {
    super()
    this.url = url
    this.method = method
    this.headers = headers
    this.body = body ?? null
  }

  protected async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.body ?? []) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}

export type ResponseBody = string | Uint8Array | ReadableStream<Uint8Array> | null

export class Response extends Body {
  readonly status: number
  readonly headers: Headers
  /** As it was given, so that a text is written without a stream. */
  readonly body: ResponseBody

  constructor(body: ResponseBody = null, init: { status?: number; headers?: HeaderSource } = {}) {
    super()
    this.status = init.status ?? 200
    this.headers = new Headers(init.headers)
    this.body = body
    if (typeof body === 'string' && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8')
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  protected async bytes(): Promise<Uint8Array> {
    if (this.body === null) return new Uint8Array()
    if (typeof this.body === 'string') return Buffer.from(this.body)
    if (this.body instanceof Uint8Array) return this.body
    const chunks: Uint8Array[] = []
    for await (const chunk of this.body) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}
