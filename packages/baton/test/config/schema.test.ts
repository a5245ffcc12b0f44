import { join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { generateConfig, generatedConfigFiles } from '../../../../scripts/generate-config.ts'
import { configKeys } from '../../src/config/keys.ts'
import { configJsonSchema } from '../../src/config/schema.ts'
import { scratch } from '../world/scratch.ts'

const root = join(import.meta.dirname, '../../../..')

describe('what is generated from the schema', () => {
  test('is up to date (else run: node scripts/generate-config.ts)', () => {
    expect(generateConfig(root, { check: true })).toEqual([])
  })

  test('is written where it is stale, and only there', async () => {
    await using folder = scratch('bs-')
    expect(generateConfig(folder.path)).toEqual(Object.keys(generatedConfigFiles()))
    expect(generateConfig(folder.path)).toEqual([])
    folder.write('docs/reference/config.md', 'old')
    expect(generateConfig(folder.path, { check: true })).toEqual(['docs/reference/config.md'])
  })
})

describe('the JSON Schema', () => {
  test('describes every key, knows its default and no other key', () => {
    for (const { path, facts } of configKeys()) {
      const at = path.reduce<Record<string, unknown>>((schema, step) => {
        expect(schema.additionalProperties).toBe(false)
        return Object(Reflect.get(Object(schema.properties), step))
      }, configJsonSchema())
      expect(at.description, path.join('.')).toBeTypeOf('string')
      if (facts.looser !== 'more') expect(at, path.join('.')).toHaveProperty('default')
    }
  })

  test('has defaults that the schema itself accepts', () => {
    for (const { path } of configKeys()) {
      const at = path.reduce<Record<string, unknown>>(
        (schema, step) => Object(Reflect.get(Object(schema.properties), step)),
        configJsonSchema(),
      )
      const written = path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), at.default)
      expect(Config.safeParse(written).success, path.join('.')).toBe(true)
    }
  })
})
