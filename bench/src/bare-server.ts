import { createServer } from 'node:http';

/** Sends the same bytes to whoever asks: what any answer of this size can cost at least. Told the bytes, tells its port. */
process.once('message', (payload: string) => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(payload);
  }).listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address ? address.port : 0);
  });
});
process.once('disconnect', () => process.exit());
