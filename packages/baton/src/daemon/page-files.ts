import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'

/** The addresses of the page's views: reloading any of them returns the same page. */
const VIEWS =
  /^\/(?:(?:asks|sessions|claims|work|fleet|history|journal|recap|settings)(?:\/[\w.:-]{0,200})*)?$/
const ASSET = /^\/assets\/([\w-]+(?:\.[\w-]+)*\.(js|css|svg))$/
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Forbids loading, running, framing or sending to anything foreign, even if an agent puts markup into a text. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
}

/** Whether an address is one of the page's files. They hold no data, so anyone may read them. */
export function isPageFile({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  const path = pathOf(url)
  return (method === 'GET' || method === 'HEAD') && (VIEWS.test(path) || ASSET.test(path))
}

/** Serves the page and its files from the build's folder, where they are already compressed. */
export async function servePageFile(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, asset, ending = ''] = ASSET.exec(pathOf(request.url ?? '')) ?? []
  const name = asset ? join('assets', asset) : 'index.html'
  const accepts = String(request.headers['accept-encoding'] ?? '')
  for (const [coding, suffix] of [['br', '.br'] as const, [undefined, ''] as const]) {
    if (coding && !accepts.includes(coding)) continue
    const body = await readFile(join(folder, `${name}${suffix}`)).catch(() => undefined)
    if (!body) continue
    response.writeHead(200, {
      ...HEADERS,
      'content-type': asset ? (TYPES[ending] ?? 'application/octet-stream') : 'text/html; charset=utf-8',
      'content-length': body.length,
      // The names of assets change with their content; the page itself is requested each time.
      'cache-control': asset ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(coding ? { 'content-encoding': coding } : {}),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
    return
  }
  const sorry = asset ? 'Not found\n' : 'The dashboard is not built. Run: npm run build\n'
  response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain', 'content-length': sorry.length })
  response.end(sorry)
}

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? ''
