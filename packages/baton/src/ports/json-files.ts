import type { SmallFiles } from './small-files.ts'

/** One JSON file by its schema; undefined where there is none, or what stands there is not of that shape. */
export async function readJsonFile<T>(
  files: Pick<SmallFiles, 'read'>,
  root: string,
  name: string,
  schema: Shape<T>,
): Promise<T | undefined> {
  const found = await files.read(root, name)
  if (found.kind !== 'text') return undefined
  try {
    return schema.safeParse(JSON.parse(found.text)).data
  } catch {
    return undefined
  }
}

/** Every JSON file of a folder that is of that shape. */
export async function readJsonFiles<T>(
  files: Pick<SmallFiles, 'read' | 'list'>,
  root: string,
  folder: string,
  schema: Shape<T>,
): Promise<T[]> {
  const names = (await files.list(root, folder)).filter(({ name }) => name.endsWith('.json'))
  const found = await Promise.all(
    names.map(({ name }) => readJsonFile(files, root, `${folder}/${name}`, schema)),
  )
  return found.filter(each => each !== undefined)
}

/** What a schema does, whoever made it. */
interface Shape<T> {
  safeParse(value: unknown): { data?: T | undefined }
}
