/** SQLSTATE codes (Postgres, appendix A) that code decides by. */
export const sqlState = {
  UNIQUE_VIOLATION: '23505',
  FOREIGN_KEY_VIOLATION: '23503',
  CHECK_VIOLATION: '23514',
  NOT_NULL_VIOLATION: '23502',
  EXCLUSION_VIOLATION: '23P01',
  SERIALIZATION_FAILURE: '40001',
  DEADLOCK_DETECTED: '40P01',
  LOCK_NOT_AVAILABLE: '55P03',
  DUPLICATE_OBJECT: '42710',
  INSUFFICIENT_PRIVILEGE: '42501',
  TRANSACTION_RESOLUTION_UNKNOWN: '08007',
  QUERY_CANCELED: '57014',
  ADMIN_SHUTDOWN: '57P01',
  CANNOT_CONNECT_NOW: '57P03',
  TOO_MANY_CONNECTIONS: '53300',
  INVALID_PASSWORD: '28P01',
  INVALID_CATALOG_NAME: '3D000',
} as const;

/** The SQLSTATE of an error of pg or of TypeORM around one, else undefined. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  const state = driverError?.code ?? code;
  return typeof state === 'string' && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}
