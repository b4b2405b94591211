const UUIDS = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A text without the ids in it: any four digits turn up in one of them, sooner or later. */
export function withoutIds(text: string): string {
  return text.replaceAll(UUIDS, '');
}
