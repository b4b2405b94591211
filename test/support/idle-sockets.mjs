import { connect } from 'node:net';

/**
 * Opens sockets that say nothing: `node idle-sockets.mjs <url> <how many>`. Prints `open <n>` once they are there, and
 * `closed <n>` once the server has closed them all.
 */
const [url, count] = process.argv.slice(2);
const { hostname, port } = new URL(url);
let [open, closed] = [0, 0];
/** A listener takes so many at a time. */
const AT_ONCE = 100;

function idle() {
  return new Promise((settled) => {
    const socket = connect(Number(port), hostname, () => {
      open++;
      settled();
    });
    socket.on('error', settled);
    socket.on('close', () => {
      closed++;
      if (closed === Number(count)) console.log(`closed ${closed}`);
    });
    socket.resume();
  });
}

for (let n = 0; n < Number(count); n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, idle));
console.log(`open ${open}`);
