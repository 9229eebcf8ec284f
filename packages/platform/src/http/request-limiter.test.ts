import { type Caller, localCaller } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { addressGroup, RequestLimiter, usualRequestRates } from './request-limiter.ts';

const caller = (kind: Caller['kind'], id: string): Caller => ({ ...localCaller, kind, id });

/** How many of so many requests at one moment are accepted. */
function accepted(limiter: RequestLimiter, count: number, from: Caller, address = '192.0.2.1'): number {
  let served = 0;
  for (let index = 0; index < count; index += 1) {
    try {
      limiter.take(from, address);
      served += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_requests', retryAfterS: 1 });
    }
  }
  return served;
}

describe('requests of a caller', () => {
  it('are limited by session and token, not by the address that they share', async () => {
    const clock = new VirtualClock();
    const limiter = new RequestLimiter({ person: { burst: 10, perSecond: 5 } }, clock);
    expect(accepted(limiter, 12, caller('person', 'a'))).toBe(10);
    expect(accepted(limiter, 12, caller('person', 'b'))).toBe(10);
    await clock.advance(1000);
    expect(accepted(limiter, 12, caller('person', 'a'))).toBe(5);
    await clock.advance(60_000);
    expect(accepted(limiter, 12, caller('person', 'a'))).toBe(10);
  });

  it('without an account are limited by address; machines and the leader are not limited', () => {
    const limiter = new RequestLimiter({ anonymous: { burst: 3, perSecond: 1 } }, new VirtualClock());
    const nobody = caller('anonymous', '');
    expect(accepted(limiter, 5, nobody, '2001:db8::1')).toBe(3);
    expect(accepted(limiter, 5, nobody, '2001:db8::2')).toBe(0);
    expect(accepted(limiter, 5, nobody, '2001:db8:0:1::2')).toBe(3);
    expect(accepted(limiter, 5, caller('leader', ''))).toBe(5);
    expect(accepted(limiter, 5, localCaller)).toBe(5);
  });

  it('of a web UI that shows 100 units never meet the limit', async () => {
    const clock = new VirtualClock();
    const limiter = new RequestLimiter(usualRequestRates, clock);
    // Ten requests for each unit at once, and again every ten seconds.
    for (let round = 0; round < 20; round += 1) {
      expect(accepted(limiter, 1000, caller('person', 'a'))).toBe(1000);
      await clock.advance(10_000);
    }
  });

  it('are counted in bounded memory', () => {
    const limiter = new RequestLimiter({ anonymous: { burst: 1, perSecond: 0.001 } }, new VirtualClock());
    const nobody = caller('anonymous', '');
    const addressOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    for (let index = 0; index <= 10_000; index += 1) limiter.take(nobody, addressOf(index));
    limiter.take(nobody, addressOf(0));
    expect(() => limiter.take(nobody, addressOf(10_000))).toThrow();
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:0db8:0:12:1:2:3:4', '2001:db8:0:12::/64'],
  ['2001:db8::12:1:2:3:4', '2001:db8:0:12::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('the address %s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
