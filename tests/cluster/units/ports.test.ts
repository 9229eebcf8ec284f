import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';

const portOf = (url: string) => new URL(url).port;
const valueIn = (text: string, key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1];

it('writes the ports of the last start into the configuration, and changes nothing else', async () => {
  await using folder = await temporaryFolder('ports');
  const file = () => readFile(join(folder.path, 'config.ini'), 'utf8');
  const begin = () => startLeader({ dataFolder: folder.path });
  let before: string;
  let installed: string;
  {
    await using leader = await begin();
    before = await file();
    expect(valueIn(before, 'broker_ws_port')).toBe(portOf(leader.url));
    expect(valueIn(before, 'port')).toBe(portOf(leader.url));
    expect(valueIn(before, 'broker_port')).toBe(portOf(leader.node.mqttUrl ?? ''));
    // The history begins with the file as it was installed, with the ports of the first start.
    expect(await leader.client.listSharedConfigHistory({ query: { authors: true } })).toMatchObject([
      { data: before, author: 'as installed' },
    ]);
    installed = before;
    before = before.replace('[mqtt]\n', '[mqtt]\n; ours\n');
    await leader.client.saveSharedConfig({ body: { code: before } });
  }
  await using leader = await begin();
  const after = await file();
  const withoutPorts = (text: string) => text.replace(/port=\d+/g, 'port=');
  expect(withoutPorts(after)).toBe(withoutPorts(before));
  expect(valueIn(after, 'port')).toBe(portOf(leader.url));
  const history = await leader.client.listSharedConfigHistory();
  expect(history.map(({ data }) => data)).toEqual([...(after === before ? [] : [after]), before, installed]);
});

it('writes the address of an external broker into the configuration, with TLS if it is used', async () => {
  await using folder = await temporaryFolder('ports');
  const valuesWith = async (brokerUrl: string) => {
    // No server answers there, which does not prevent the start.
    await using _leader = await startLeader({ dataFolder: folder.path, configure: { brokerUrl } });
    const text = await readFile(join(folder.path, 'config.ini'), 'utf8');
    return ['broker_address', 'broker_port', 'use_tls'].map((key) => valueIn(text, key));
  };
  expect(await valuesWith('mqtts://user:secret@127.0.0.2')).toEqual(['127.0.0.2', '8883', '1']);
  expect(await valuesWith('mqtt://127.0.0.2:9')).toEqual(['127.0.0.2', '9', '0']);
});
