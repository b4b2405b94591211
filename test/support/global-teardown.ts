/** Stops what global-setup.ts started. Runs in the same process. */
export default async function globalTeardown(): Promise<void> {
  await (globalThis as { stopTestServer?: () => Promise<void> }).stopTestServer?.();
}
