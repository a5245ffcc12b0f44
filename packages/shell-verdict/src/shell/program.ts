/** Folders of programs that an agent cannot normally write to. */
const SYSTEM_FOLDERS = new Set([
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/usr/libexec',
])

/** `/usr/bin/rm` and `rm` are one program; `./rm` is whatever is there. */
export function programName(word: string): string {
  const slash = word.lastIndexOf('/')
  if (slash === -1) return word
  return SYSTEM_FOLDERS.has(word.slice(0, slash)) ? word.slice(slash + 1) : word
}
