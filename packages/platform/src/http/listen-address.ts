import { isIPv4 } from 'node:net';
import { StartupError } from '../process/startup-error.ts';

/** Whether an address is one of this machine only: an IP address, or `localhost`; IPv4 addresses may be written as sockets for both versions write them. */
export function isLoopback(address: string): boolean {
  const ip = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return ip === 'localhost' || ip === '::1' || (isIPv4(ip) && ip.startsWith('127.'));
}

/** Throws a StartupError for an address that other machines can reach, for servers without access control. */
export function refuseOpenAddress(host: string): void {
  if (isLoopback(host)) return;
  throw new StartupError(
    `Cannot listen on ${host}: without access control and TLS, only 127.0.0.1 and ::1 are allowed. Choose one of these.`,
  );
}

const sentences: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Cannot listen on port ${port} of ${host}: another program uses it. Stop that program or choose another port.`,
  EACCES: (host, port) =>
    `Cannot listen on port ${port} of ${host}: this account has no permission. Choose a port above 1023.`,
  EADDRNOTAVAIL: (host) => `Cannot listen on ${host}: this machine does not have that address. Choose one of its own.`,
  ENOTFOUND: (host) => `Cannot listen on ${host}: the host name cannot be resolved. Choose an address of this machine.`,
  ERR_SOCKET_BAD_PORT: (_host, port) =>
    `Cannot listen on port ${port}: a port must be between 0 and 65535. Choose another port.`,
};

/** The StartupError for a failed listen; any other error is returned unchanged. */
export function listenFailure(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return sentence ? new StartupError(sentence(host, port), { cause: error }) : error;
}
