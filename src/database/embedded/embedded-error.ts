/** The embedded database cannot be used, and what to do. For a person; holds no secret. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
