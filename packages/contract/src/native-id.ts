/** An agent's own id: kept as given, but it must be safe as a file name. Without a schema, for the hook client. */
export const NATIVE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
