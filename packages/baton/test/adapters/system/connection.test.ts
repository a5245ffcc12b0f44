import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientInode, clientProcesses, lsofClients } from '../../../src/adapters/system/connection.ts'

describe('the processes at the other end of a connection', () => {
  let server: Server
  const accepted: Socket[] = []
  beforeAll(async () => {
    server = createServer(socket => accepted.push(socket.on('error', () => {})))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  const serverPort = () => (server.address() as AddressInfo).port

  /** A child that connects and says by which port. */
  async function connecting(more = ''): Promise<{ child: ChildProcess; clientPort: number }> {
    const script = `const s = require('net').connect(${serverPort()}, '127.0.0.1', () => { ${more}; console.log(s.localPort) })`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout, 'data')
    return { child, clientPort: Number(String(line)) }
  }

  it('are found by the kernel, whatever they say about themselves', async () => {
    const { child, clientPort } = await connecting()
    try {
      expect(await clientProcesses({ clientPort, serverPort: serverPort() })).toEqual([child.pid])
      expect(await clientProcesses({ clientPort: serverPort(), serverPort: clientPort })).toEqual([
        process.pid,
      ])
      expect(await clientProcesses({ clientPort, serverPort: 1 })).toEqual([])
      const connection = { clientPort, serverPort: serverPort() }
      expect(await clientProcesses(connection, [process.pid, child.pid ?? 0])).toEqual([child.pid])
      expect(await clientProcesses(connection, [process.pid])).toEqual([])
    } finally {
      child.kill()
      await once(child, 'exit')
    }
    expect(await clientProcesses({ clientPort, serverPort: serverPort() })).toEqual([])
  })

  it('are all found where several share it', async () => {
    const share = "require('child_process').spawn('sleep', ['60'], { stdio: [s, 'ignore', 'ignore'] })"
    const { child, clientPort } = await connecting(`globalThis.held = ${share}`)
    try {
      const found = await clientProcesses({ clientPort, serverPort: serverPort() })
      expect(found).toContain(child.pid)
      expect(found).toHaveLength(2)
      for (const pid of found) if (pid !== child.pid) process.kill(pid)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  })

  it('are nobody for a client that closed its end', async () => {
    const client = connect(serverPort(), '127.0.0.1')
    await once(client, 'connect')
    const connection = { clientPort: client.localPort ?? 0, serverPort: serverPort() }
    expect(await clientProcesses(connection)).toEqual([process.pid])
    client.destroy()
    await once(client, 'close')
    expect(await clientProcesses(connection)).toEqual([])
  })

  it('are read from /proc/net/tcp', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:128B 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0 100 0 0 10 0',
      '   1: 0100007F:128B 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 222 1 0 20 4 30 10 -1',
      '   2: 0100007F:C350 0100007F:128B 01 00000000:00000000 00:00000000 00000000  1000        0 333 1 0 20 4 30 10 -1',
      '   3: 0100007F:C351 0100007F:128B 08 00000000:00000000 00:00000000 00000000  1000        0 444 1 0 20 4 30 10 -1',
      '   4: 0100007F:C352 0100007F:128B 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1',
      '   5: 0100007F:C353 0200007F:128B 01 00000000:00000000 00:00000000 00000000  1000        0 555 1 0 20 4 30 10 -1',
    ].join('\n')
    const of = (clientPort: number) => clientInode(table, { clientPort, serverPort: 4747 })
    expect([50_000, 50_001, 50_002, 50_003, 50_004].map(of)).toEqual([
      '333',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('are read from lsof, each process once and only those at the client\u2019s end', () => {
    const output =
      'p7169\nf21\nn127.0.0.1:46000->127.0.0.1:4747\nf22\nn127.0.0.1:46000->127.0.0.1:4747\np7300\nf9\nn127.0.0.1:4747->127.0.0.1:46000\np7400\nf3\nn127.0.0.1:46000->127.0.0.1:47470\np7500\nf5\nn127.0.0.1:46000->127.0.0.1:4747\n'
    expect(lsofClients(output, { clientPort: 46_000, serverPort: 4747 })).toEqual([7169, 7500])
    expect(lsofClients('', { clientPort: 46_000, serverPort: 4747 })).toEqual([])
  })
})
