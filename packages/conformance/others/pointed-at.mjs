/**
 * The client of Stripe's SDK that a plugin has made, at the simulator, and with the seconds that the other targets wait.
 * The SDK takes an address only where it is constructed.
 */
export function pointedAt(stripe, url) {
  const { hostname, port } = new URL(url);
  // An agent for TLS cannot speak to the simulator.
  const fields = { host: hostname, port, protocol: 'http', timeout: 1_000, agent: null };
  for (const [name, value] of Object.entries(fields))
    Reflect.get(stripe, '_setApiField').call(stripe, name, value);
  return stripe;
}
