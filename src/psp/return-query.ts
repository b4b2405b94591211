/** The details that the customer's return brought, by name: its query as it came (`return_query`), or the PSP's own. */
export function returnedIn(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const query = details['return_query'];
  return typeof query === 'string' ? Object.fromEntries(new URLSearchParams(query)) : details;
}
