import { Config } from '@batonpass/contract/config'
import { expect, test } from 'vitest'

const accepts = (postgres: string) => Config.safeParse({ fleet: { postgres } }).success

test.each([
  '',
  'postgres://u:p@localhost/db',
  'postgres://u:p@127.0.0.1:5432/db',
  'postgres://u:p@[::1]/db',
  'postgres:///db?host=/var/run/postgresql',
  'postgresql://%2Fvar%2Frun/db',
  'postgres://u:p@db.example.com/db?sslmode=verify-full',
  'postgres://u:p@db.example.com/db?sslrootcert=/etc/ca.pem&sslmode=verify-full',
])('the database of a fleet may be %s', postgres => {
  expect(accepts(postgres)).toBe(true)
})

test.each([
  'postgres://u:p@db.example.com/db',
  'postgres://u:p@db.example.com/db?sslmode=require',
  'postgres://u:p@db.example.com/db?sslmode=no-verify',
  'postgres://u:p@db.example.com/db?sslmode=verify-full&sslmode=disable',
  'postgres://u:p@localhost/db?host=db.example.com',
  'postgres://u:p@127.0.0.1.evil.example/db',
  'postgres://u:p@localhost.evil.example/db',
  'postgres://u:p@%/db',
])('without a verified server the database of a fleet may not be %s', postgres => {
  expect(accepts(postgres)).toBe(false)
})
