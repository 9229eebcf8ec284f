import { onBehalfOf } from '@lcs/platform';
import { expect, it } from 'vitest';
import { NodeConnections } from './node-connections.ts';

const addresses: Readonly<Record<string, string>> = { rx01: 'http://10.0.0.1:4999', rx02: 'http://10.0.0.2:4999' };
const credentials = {
  unit_token: 'of-rx01',
  leader_token: 'of-the-leader',
  mqtt: { username: 'unit:rx01', password: 'x' },
};

const connections = new NodeConnections({
  own: { address: { isListening: true, ownUrl: 'http://127.0.0.1:4999' }, secret: 'own', publicKey: '' },
  certificate: () => Promise.reject(new Error('No connection of this test is encrypted.')),
  addressOf: (unit) => addresses[unit],
  units: () => Object.keys(addresses),
  credentialsOf: (unit) => (unit === 'rx01' ? credentials : undefined),
  keyOf: () => undefined,
});
const headersTo = (url: string) => connections.headers(new URL(url));

it('every request to a node names the person for whom the leader acts, beside the credentials of the leader', () => {
  const forAnna = (url: string) => onBehalfOf('anna ß', () => headersTo(url));
  const caller = { 'x-lcs-caller': 'anna%20%C3%9F' };
  expect(forAnna('http://10.0.0.1:4999/unit_api/jobs')).toEqual({ authorization: 'Bearer of-the-leader', ...caller });
  expect(forAnna('http://127.0.0.1:4999/unit_api/jobs')).toEqual({ authorization: 'Bearer own', ...caller });
  // Whoever else answers at an address learns neither.
  expect(forAnna('http://10.0.0.2:4999/')).toEqual({});
  expect(forAnna('http://10.0.0.3:4999/')).toEqual({});
  expect(headersTo('http://10.0.0.1:4999/')).toEqual({ authorization: 'Bearer of-the-leader' });
});
