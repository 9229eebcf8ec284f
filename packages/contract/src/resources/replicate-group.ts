import { type Static, Type } from 'typebox';
import { closed, Timestamp, textLimit } from './common.ts';

export const ReplicateGroup = closed(
  {
    name: Type.String({ maxLength: textLimit, description: '1 to 100 characters; distinct within an experiment' }),
    units: Type.Array(Type.String({ maxLength: textLimit }), {
      description: 'Units that are treated alike; each in one group at most',
    }),
  },
  { title: 'ReplicateGroup' },
);
export type ReplicateGroup = Static<typeof ReplicateGroup>;

export const ReplicateGroupsChange = closed(
  { groups: Type.Array(ReplicateGroup, { maxItems: 1000, description: 'Replaces the whole list' }) },
  { title: 'ReplicateGroupsChange' },
);
export type ReplicateGroupsChange = Static<typeof ReplicateGroupsChange>;

export const ReplicateGroupsVersion = closed(
  { timestamp: Timestamp, groups: Type.Array(ReplicateGroup) },
  { title: 'ReplicateGroupsVersion', description: 'What the groups became at a moment' },
);
export type ReplicateGroupsVersion = Static<typeof ReplicateGroupsVersion>;
