import { ApiError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { testAnswer, testEpoch, testSample } from '../testing/test-feed.ts';
import { HttpFeedClient, type UnitTransport } from './feed-client.ts';

const never = new AbortController().signal;
const answering = (status: number, text: string, seen: string[] = []) => {
  const transport: UnitTransport = async ({ method, url }) => {
    seen.push(`${method} ${url.href}`);
    return { status, text };
  };
  return new HttpFeedClient(transport, () => new URL('http://unit1:4999'));
};
const refusal = (client: HttpFeedClient, after = 0) => client.read({ after }, never);

describe('the feed over HTTP', () => {
  it('sends the known position and returns the feed', async () => {
    const seen: string[] = [];
    const answer = testAnswer([testSample(8)]);
    const client = answering(200, JSON.stringify(answer), seen);
    expect(await client.read({ epoch: testEpoch, after: 7, wait: 10_000 }, never)).toEqual(answer);
    expect(seen).toEqual([`GET http://unit1:4999/unit_api/feed?epoch=${testEpoch}&after=7&wait=10000`]);
  });

  it('passes on why the unit refuses', async () => {
    const { body } = new ApiError('feed_epoch_changed', {}, [{ epoch: testEpoch }]);
    await expect(refusal(answering(409, JSON.stringify(body)))).rejects.toMatchObject({
      code: 'feed_epoch_changed',
      diagnostics: [{ epoch: testEpoch }],
    });
  });

  it.each([
    ['no JSON', '<html>'],
    ['another shape', '{"records":[]}'],
    ['records out of order', JSON.stringify(testAnswer([testSample(3), testSample(2)]))],
    ['a record twice', JSON.stringify(testAnswer([testSample(3), testSample(3)]))],
    ['a record at or below the one asked for', JSON.stringify(testAnswer([testSample(1)]))],
    ['a sample of no series', JSON.stringify(testAnswer([{ ...testSample(3), kind: 'sample', series: 1, value: 1 }]))],
    ['a sample without a value', JSON.stringify(testAnswer([testSample(3)])).replace('"value":3', '"value":null')],
    ['a record of an unknown kind', JSON.stringify(testAnswer([testSample(3)])).replace('"sample"', '"smell"')],
    ['flags that are none', JSON.stringify(testAnswer([testSample(3)])).replace('"value":3', '"value":3,"flags":null')],
    ['a derivation without a key', JSON.stringify(testAnswer([])).replace('"derivation":null', '"derivation":{}')],
    [
      'an intensity in words',
      JSON.stringify(testAnswer([])).replace('"context":null', '"context":{"ir_led_intensity":"auto"}'),
    ],
    ['a boot before 1970', JSON.stringify(testAnswer([])).replace('"wall0":null', '"wall0":-1')],
  ])('takes no answer with %s', async (_, text) => {
    await expect(refusal(answering(200, text), 1)).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  it('takes no answer of another version of the protocol, whatever its shape', async () => {
    for (const text of [JSON.stringify(testAnswer([], { protocol: 2 })), '{"protocol":2,"readings":[]}'])
      await expect(refusal(answering(200, text))).rejects.toMatchObject({ code: 'protocol_unsupported' });
  });

  it('acknowledges', async () => {
    const ack = { leader_id: testEpoch, epoch: testEpoch, seq: 3 };
    const seen: string[] = [];
    const client = answering(200, '{"status":"success","acked_seq":5}', seen);
    expect(await client.acknowledge(ack, never)).toEqual({ status: 'success', acked_seq: 5 });
    expect(seen).toEqual(['POST http://unit1:4999/unit_api/feed/ack']);
  });
});
