import { describe, expect, it } from 'vitest'
import { opaqueWordsIn } from '../../src/journal/opaque-words.ts'

describe('words of the user that may be a secret', () => {
  it.each([
    ['管理画面に入るときは Hayabusa-E5 を使って', 'Hayabusa-E5'],
    ['gateway joins with zx81-Melon-Rain as shared phrase', 'zx81-Melon-Rain'],
    ['the box wants Gurke+Salz4 before it opens', 'Gurke+Salz4'],
    ['type aB3xQ9tLw2 when it asks', 'aB3xQ9tLw2'],
    ['log in as deploy with tiger4711', 'tiger4711'],
    ['the router: Tr0ub4dor&3', 'Tr0ub4dor&3'],
    ['the gateway: Passw0rd77!', 'Passw0rd77'],
    ['for the printer Xk9$mQ2vL!', 'Xk9$mQ2vL'],
    ['the camera: q7RkT2mXw9LpZ4vBn6Hs', 'q7RkT2mXw9LpZ4vBn6Hs'],
  ])('%s', (text, word) => expect(opaqueWordsIn(text)).toEqual([word]))

  it.each([
    'Keep the E2E-Tests, the S3-Bucket, the 24-Stunden-Frist, the Top-10-Liste and Ubuntu-22.04.',
    'Start from 4f1d0aa or 2c26b46b68ffc68ff99b453c1d30413413422d70, see IPA-2217 and 0x7F3A.',
    'Use GPT-4o, Python3.11, eu-west-1, t3.micro, x86_64, utf8mb4 and getUser2ById.',
    'Version v2.14.0-rc1 listens on 127.0.0.1:8443; the id is 6f0d5c1e-7d1b-4a69-9f27-6c3f0a1e2b3c.',
    'Never touch `src/Auth2/Token-V2.ts`, config.prod.yaml or lib/B2b/Api3.php.',
    'The gateway is a **RUT955x-Rev2B**, the printer Kx-MB2030-7b, the build ^18.2.0-canary5x.',
    'Der Lauf um 18:30 braucht 2,5 GB und 95%+ Abdeckung; C++17 und Node.js-20 bleiben.',
  ])('leaves names, versions, ids and compounds alone: %s', text => expect(opaqueWordsIn(text)).toEqual([]))

  it('takes linear time on hostile text', () => {
    const began = performance.now()
    for (const text of ['aB3-'.repeat(50_000), 'aB3xQ9tLw2 '.repeat(20_000), '1a'.repeat(100_000)])
      opaqueWordsIn(text)
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
