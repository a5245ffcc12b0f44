import { describe, expect, it } from 'vitest'
import { makeRedactor } from '../../src/journal/redact.ts'

const { text } = makeRedactor()

describe('a value right behind the name of a secret', () => {
  it.each([
    ['the api key is 9f86d081884c7d659a2feaa0c55ad015', '9f86d081884c7d659a2feaa0c55ad015'],
    ['our access token: 6f0d5c1e-7d1b-4a69-9f27-6c3f0a1e2b3c', '6f0d5c1e-7d1b-4a69-9f27-6c3f0a1e2b3c'],
    ['the password is swordfish.', 'swordfish'],
    ['le mot de passe du serveur, c’est Rouge-et-noir maintenant', 'Rouge-et-noir'],
    ['sunucunun şifresi Kedi-pati-88', 'Kedi-pati-88'],
    ['passphrase of the backup: seven herons at dawn', 'seven herons at dawn'],
    ['mount -t cifs //nas/x /mnt -o username=arch,password=Plume', 'Plume'],
    ['rclone copy out/ s3:x --s3-secret-access-key Fog88vQ/pazLmo3', 'Fog88vQ/pazLmo3'],
    ['Das Zugangskürzel fürs VPN lautet wx-Boje#18', 'wx-Boje#18'],
    ['The password for the database: Xk7pQ2z9vL', 'Xk7pQ2z9vL'],
    ['The password of the server: Tr0ub4dor&3x', 'Tr0ub4dor&3x'],
    ['password for the wifi server: Xk7!pQ2z9vL', 'Xk7!pQ2z9vL'],
    ['password for staging server: "Tr0ub4dor3x"', 'Tr0ub4dor3x'],
    ['root password on the host: hunter2X9k', 'hunter2X9k'],
    ['the password of the box is called Xk7pQ2z9vL', 'Xk7pQ2z9vL'],
    ['token id: Xk7pQ2z9vLq8', 'Xk7pQ2z9vLq8'],
    ['The PIN like a7b9c', 'a7b9c'],
    ['the access_token-Nummer: hunter2X9k', 'hunter2X9k'],
    ['secret_id: Xk7pQ2z9vLq8', 'Xk7pQ2z9vLq8'],
    ['"credentials":{"user":"bob","phrase":"Xk7pQ2z9vL"}', 'Xk7pQ2z9vL'],
  ])('is removed: %s', (sentence, secret) => {
    expect(text(sentence)).not.toContain(secret)
    expect(text(sentence)).toContain('[redacted')
  })

  it.each([
    ['the cellar keypad is 4471#', '4471#'],
    ['the gate opens with 4*88*15#, tell the night shift', '4*88*15#'],
    ['le code du portail : 18-42-07', '18-42-07'],
    ['the device unlocks with kod 7719-0342', '7719-0342'],
    ['use the fixed SMS code: 551903', '551903'],
    ['PIN number: 4711', '4711'],
    ['The PIN number is 4711', '4711'],
    ['Pin-Nummer: 4711', '4711'],
    ['the PIN for the door, number 4711', '4711'],
    ['door code number 4711', '4711'],
    ['code numéro 4711', '4711'],
  ])('may be a code for a keypad: %s', (sentence, code) => expect(text(sentence)).not.toContain(code))

  it.each([
    ['login code: Xk9$mQ2!vLp7', 'Xk9$mQ2!vLp7'],
    ['login code: Xk9mQ2vLp7', 'Xk9mQ2vLp7'],
    ['password of our VS code server is Sw0rd!Fish99', 'Sw0rd!Fish99'],
    ['password of our VS code server is walrus-77-kelp', 'walrus-77-kelp'],
    ['beside the VS code poster the cellar opens with 4*88*15#', '4*88*15#'],
  ])('is removed although the word "code" is nearer: %s', (sentence, secret) =>
    expect(text(sentence)).not.toContain(secret),
  )

  it.each([
    ['wifi password, router: Tr0ub4dor&3', 'Tr0ub4dor&3'],
    ['wifi password, printer: heron~lake', 'heron~lake'],
    ['log in to the gateway: Xk9$mQ2!vL', 'Xk9$mQ2!vL'],
    ['the token for the bucket q7RkT2mXw9LpZ4vBn6Hs', 'q7RkT2mXw9LpZ4vBn6Hs'],
  ])('is removed although a label is before it: %s', (sentence, secret) =>
    expect(text(sentence)).not.toContain(secret),
  )

  it.each([
    'exit code 1370, error code: 10455, status code 4044, the code 5000 lines long',
    'the code of 2024 is gone, and code from 2019, too',
    'the password is hashed with bcrypt, and the password is too long',
    'The password is required. The passphrase is checked in src/auth.ts:120.',
    'Das Passwort ist falsch. Le mot de passe est incorrect.',
    'reset the password for user 4711, see ticket ABC-123',
    'the customer lost the PIN, order number 4711, customer number 4712',
    'the pin GPIO27 drives the valve',
    'price_id: price_1OaBcDeFgHiJkLmN of the account',
    'passphrase for new users: at least 20 characters',
    'the token for commit 9f86d081884c7d659a2feaa0c55ad015 is in the vault',
    'the admin password is in the vault, the gateway is a Teltonika-RUT955, firmware RUT9_R_00.07',
    'the password review of the VS code is done, see the code path2b of our VS code fork',
    'the admin password is unset on the printer HP-M404n and on firmware 2.4.1+b7',
    'pull the image ghcr.io/acme/melt@sha256:7f0d1c2b9a3e with the deploy token',
  ])('is no secret in: %s', sentence => expect(text(sentence)).toBe(sentence))
})
