/**
 * The address of a registry as the sandbox may show it: without user, password, query and fragment. Undefined for everything
 * that is not a complete http address, and for one with a variable, which would stand for something unknown.
 */
export function withoutLogin(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  if (!/^[\w.-]+$|^\[[\da-f:]+\]$/.test(url.hostname) || /\$(?:\{|%7b)/i.test(url.pathname)) return undefined
  return `${url.protocol}//${url.host}${url.pathname}`
}
