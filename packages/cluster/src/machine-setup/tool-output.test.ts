import { expect, it } from 'vitest';
import { throttlingIn } from './throttling.ts';
import {
  isAtLeast,
  journalBytesIn,
  listedUnits,
  listenersIn,
  memoryIn,
  rootMount,
  secondsIn,
  shownUnits,
  spaceIn,
  usedLifeIn,
} from './tool-output.ts';

/** Made by hand, after the manual pages of the programs. */
it('reads the outputs of the system', () => {
  expect(shownUnits('Id=a.service\nActiveState=active\n\nId=b.service\nExec=x=y\n\n')).toEqual(
    new Map([
      ['a.service', { Id: 'a.service', ActiveState: 'active' }],
      ['b.service', { Id: 'b.service', Exec: 'x=y' }],
    ]),
  );
  expect(listedUnits('● a.service loaded failed failed A\nb@x.service loaded active running B\n\n')).toEqual([
    'a.service',
    'b@x.service',
  ]);
  expect(
    listenersIn(
      'LISTEN 0 511 0.0.0.0:4999 0.0.0.0:* users:(("python3",pid=5,fd=3))\nLISTEN 0 5 [::]:22 [::]:*\nLISTEN 0 5 *:80 *:*\n',
    ),
  ).toEqual(
    new Map([
      [4999, 'python3'],
      [22, ''],
      [80, ''],
    ]),
  );
  expect(spaceIn('   1B-blocks       Avail\n31000000000 20000000000\n')).toEqual({
    totalBytes: 31e9,
    availableBytes: 20e9,
  });
  expect(spaceIn('')).toBeUndefined();
  expect(rootMount('/dev/a / ext4 rw 0 0\n/dev/mmcblk0p2 / ext4 ro,noatime 0 0\nx /y z rw 0 0')).toEqual({
    device: 'mmcblk0p2',
    isReadOnly: true,
  });
  expect(['15s', '1min 30s', '0', 'infinity', '', '500ms'].map(secondsIn)).toEqual([15, 90, 0, 0, undefined, 0.5]);
  expect(journalBytesIn('Archived and active journals take up 48.0M in the file system.')).toBe(48 * 2 ** 20);
  expect(memoryIn('MemTotal:  1024 kB\nMemFree: 5 kB\n', 'MemTotal')).toBe(2 ** 20);
  expect(['0x02 0x01\n', '0x00 0x00', ''].map(usedLifeIn)).toEqual([20, undefined, undefined]);
  expect(
    ['6.6.62', '6.6.62+rpt', '6.12.1', '6.6.61', '6.6', '', 'x'].map((text) => isAtLeast(text, [6, 6, 62])),
  ).toEqual([true, true, true, false, false, false, false]);
});

it.each<[string, ReturnType<typeof throttlingIn>]>([
  ['throttled=0x0', { now: [], before: [] }],
  ['throttled=0x50005\n', { now: ['under-voltage', 'the processor is throttled'], before: [] }],
  ['throttled=0x80000', { now: [], before: ['the temperature is above its soft limit'] }],
  ['throttled=0xe0001', { now: ['under-voltage'], before: expect.arrayContaining(['the processor is throttled']) }],
  ['VCHI initialization failed', undefined],
])('%j means %j', (output, throttling) => {
  expect(throttlingIn(output)).toEqual(throttling);
});
