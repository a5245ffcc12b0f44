import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { parseListening } from '../../src/adapters/bubblewrap/inside-ports.ts'
import { keepsNumber, loopbackForwards } from '../../src/adapters/proxy/loopback-forwards.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1234 1
   1: 0100007F:0BB8 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1235 1
   2: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:0 0 0 0 9 1
`

describe('servers in the sandbox', () => {
  test('are found in the table of the kernel: only those that listen', () => {
    expect(parseListening(TABLE)).toEqual([3000, 8080])
    expect(parseListening('nonsense\n 0: zz')).toEqual([])
  })

  test.each([
    [3000, true],
    [5173, true],
    [8080, true],
    [80, false],
    [443, false],
    [1024, false],
    [5432, false],
    [6379, false],
    [6010, false],
    [45_000, false],
  ])('keep port %i on this machine: %s', (port, expected) => {
    expect(keepsNumber(port)).toBe(expected)
  })

  test('never take a port of Baton, close with their server and with the session, and are bounded', async () => {
    const closed = [3999]
    const forwards = loopbackForwards(() => closed)
    const seen: number[] = []
    const take = (port: number, connection: NodeJS.ReadWriteStream) => {
      seen.push(port)
      ;(connection as unknown as { end(text: string): void }).end(`${port}`)
    }
    const many = Array.from({ length: 40 }, (_, at) => 40_000 + at)
    expect(await forwards.update('a', many, take)).toHaveLength(20)
    await forwards.update('a', [3999], take)
    const [own] = forwards.list('a')
    expect(own).toMatchObject({ inside: 3999 })
    expect(own?.port).not.toBe(3999)
    expect(forwards.list('a')).toHaveLength(1)
    expect(forwards.list('b')).toEqual([])
    const said = await new Promise<string>(done => {
      let text = ''
      connect(own?.port ?? 0, '127.0.0.1')
        .on('data', chunk => (text += chunk))
        .on('close', () => done(text))
    })
    expect(said).toBe('3999')
    expect(seen).toEqual([3999])
    forwards.end('a')
    const refused = await new Promise<string>(done => {
      connect(own?.port ?? 0, '127.0.0.1')
        .on('error', (error: NodeJS.ErrnoException) => done(error.code ?? ''))
        .on('connect', () => done('connected'))
    })
    expect(refused).toBe('ECONNREFUSED')
  })
})
