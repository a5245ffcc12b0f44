import type { SmallFiles } from './small-files.ts'

/** Reads one JSON file; undefined if it is missing or does not match the schema. */
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

/** Reads every JSON file of a folder that matches the schema. */
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

/** A schema, independent of the schema library. */
interface Shape<T> {
  safeParse(value: unknown): { data?: T | undefined }
}
