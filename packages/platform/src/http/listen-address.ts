import { isIPv4 } from 'node:net';
import { StartupError } from '../process/startup-error.ts';

const isLoopback = (host: string): boolean => host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** Throws a StartupError for an address that other machines reach, for use while nobody has to log in. */
export function refuseOpenAddress(host: string): void {
  if (isLoopback(host)) return;
  throw new StartupError(
    `Cannot listen on ${host}: without access control only this machine's own address (127.0.0.1 or ::1) is served.`,
  );
}

const sentences: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use: stop the program that has it, or choose another port.`,
  EACCES: (host, port) => `Port ${port} on ${host} may not be used by this account: choose one above 1023.`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}: choose one of its own.`,
  ENOTFOUND: (host) => `The host name ${host} is not known: choose an address of this machine.`,
  ERR_SOCKET_BAD_PORT: (_host, port) => `${port} is no port: choose one from 0 to 65535.`,
};

/** The StartupError for a failed listen; anything unexpected is handed back as it is. */
export function listenFailure(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return sentence ? new StartupError(sentence(host, port), { cause: error }) : error;
}
