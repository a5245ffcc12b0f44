/** An agent's own id. Kept as given, but must be safe as a file name. Not a schema, so that the hook client starts fast. */
export const NATIVE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
