const protocols = ['mqtt', 'mqtts', 'ws', 'wss'] as const;

/** The parts of a broker's address; the client would parse it with an API that Node has deprecated. */
export function addressOptions({ protocol, hostname, port, pathname, username, password }: URL) {
  const known = protocols.find((name) => `${name}:` === protocol) ?? 'mqtt';
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    protocol: known,
    host,
    ...(port !== '' && { port: Number(port) }),
    ...(pathname !== '/' && { path: pathname }),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}
