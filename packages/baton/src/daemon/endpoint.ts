import { readFileSync } from 'node:fs'
import type { StateFolder } from '../config/state-folder.ts'

/** What the last daemon left behind: perhaps it still runs, perhaps its number belongs to another program by now. */
export interface Endpoint {
  pid: number | undefined
  url: string | undefined
}

export function lastEndpoint({ endpoint }: StateFolder): Endpoint {
  try {
    const kept: unknown = JSON.parse(readFileSync(endpoint, 'utf8'))
    const { pid, url }: { pid?: unknown; url?: unknown } = typeof kept === 'object' && kept ? kept : {}
    return {
      pid: Number.isInteger(pid) ? Number(pid) : undefined,
      url: typeof url === 'string' && /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url) ? url : undefined,
    }
  } catch {
    return { pid: undefined, url: undefined }
  }
}
