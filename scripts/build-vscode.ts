import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { installVsce } from '../apps/vscode/test/world/install.ts'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const app = join(root, 'apps', 'vscode')

/** Packages the VS Code extension: apps/vscode/dist/batonpass-vscode.vsix. */
export async function buildVsCode(): Promise<string> {
  const staging = join(app, 'dist', `package.${process.pid}`)
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { recursive: true })
  try {
    await build({
      entryPoints: [join(app, 'src', 'extension.ts')],
      outfile: join(staging, 'extension.cjs'),
      bundle: true,
      platform: 'node',
      target: 'node22',
      format: 'cjs',
      minify: true,
      legalComments: 'none',
      external: ['vscode'],
      plugins: [...bundle.plugins],
      logLevel: 'warning',
    })
    for (const folder of ['media', 'agents'])
      if (existsSync(join(app, folder))) cpSync(join(app, folder), join(staging, folder), { recursive: true })
    copyFileSync(join(app, 'README.md'), join(staging, 'README.md'))
    for (const name of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, name), join(staging, name))
    // Leave out what only the workspace needs.
    const {
      private: _,
      devDependencies: __,
      ...manifest
    } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    writeFileSync(
      join(staging, 'package.json'),
      JSON.stringify({ ...manifest, main: './extension.cjs', files: ['**'] }, undefined, 2),
    )
    const made = join(staging, 'made.vsix')
    execFileSync(
      await installVsce(),
      ['package', '--no-dependencies', '--allow-missing-repository', '--out', made],
      { cwd: staging, stdio: ['ignore', 'ignore', 'inherit'], timeout: 120_000 },
    )
    const vsix = join(app, 'dist', 'batonpass-vscode.vsix')
    renameSync(made, vsix)
    return vsix
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

if (import.meta.main) console.log(await buildVsCode())
