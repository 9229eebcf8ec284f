// Opens TCP connections in the network namespace of this process for a program outside of it. It listens on the Unix socket of the first
// argument; a client sends "host port" in a line, receives a line back, and has the connection.
import { connect, createServer } from 'node:net';

createServer((near) => {
  near.on('error', () => {});
  near.once('data', (line) => {
    const [host, port] = line.toString().trim().split(' ');
    const far = connect(Number(port), host);
    far.setNoDelay(true);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    far.once('connect', () => {
      near.write('connected\n');
      near.pipe(far).pipe(near);
    });
  });
}).listen(process.argv[2], () => process.stdout.write('ready\n'));
