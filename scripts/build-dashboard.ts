import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build, type Metafile } from 'esbuild'

const app = join(import.meta.dirname, '..', 'apps', 'dashboard')

/** Builds the dashboard into a folder: one page, files named by their content, each with a compressed copy next to it. */
export async function buildDashboard(folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: app,
    entryPoints: { app: 'src/main.tsx', style: 'src/style.css', icon: 'src/icon.svg' },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  const page = readFileSync(join(app, 'src', 'index.html'), 'utf8')
    .replace('{script}', assetOf(metafile, 'app', 'js'))
    .replace('{style}', assetOf(metafile, 'style', 'css'))
    .replace('{icon}', assetOf(metafile, 'icon', 'svg'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html'), page)
  const assets = readdirSync(join(folder, 'assets')).map(name => join(folder, 'assets', name))
  for (const file of [join(folder, 'index.html'), ...assets]) writeFileSync(`${file}.br`, compressed(file))
}

function assetOf({ outputs }: Metafile, name: string, ending: string): string {
  const file = Object.keys(outputs).find(path =>
    new RegExp(`^${name}-[A-Z0-9]+\\.${ending}$`).test(basename(path)),
  )
  if (!file) throw new Error(`The build did not create ${name}.${ending}`)
  return `/assets/${basename(file)}`
}

function compressed(file: string): Buffer {
  return brotliCompressSync(readFileSync(file), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  })
}
