import { Config } from '@batonpass/contract/config'
import { z } from 'zod'

/** The JSON Schema of `.baton.yaml`, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(Config, {
    io: 'input',
    override({ jsonSchema }) {
      // An empty section as the default and the range of safe integers do not help a person who edits the file.
      if (jsonSchema.type === 'object' && jsonSchema.additionalProperties === false) delete jsonSchema.default
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return { title: 'Baton configuration (.baton.yaml)', ...schema }
}
