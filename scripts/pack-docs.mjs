// Run by npm before and after `npm pack`: adds the licence and the pages that messages and the README link to, without
// screenshots, which would be a tenth of the package.
import { cpSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PAGES = ['LICENSE', 'README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs']

for (const name of PAGES) {
  const copy = join(root, 'packages', 'baton', name)
  rmSync(copy, { recursive: true, force: true })
  if (process.argv[2] !== 'remove')
    cpSync(join(root, name), copy, { recursive: true, filter: file => !/\.(?:png|webp)$/.test(file) })
}
