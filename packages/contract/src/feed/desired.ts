import { type Static, Type } from 'typebox';
import { Nullable } from '../resources/common.ts';
import { Model } from '../resources/worker.ts';
import { Moment, Uuid } from './words.ts';

const version = Type.Integer({ minimum: 1 });
/** As `Model`, but open: a newer leader may send more. */
const DesiredModel = Type.Object({ ...Model.properties }, { title: 'DesiredModel' });
const DesiredFile = Type.Object({ version: Type.Integer(), sha256: Type.String(), text: Type.String() });

/** A command to stop jobs that is executed even if it arrives late. Fields that are null match anything. */
export const DesiredStop = Type.Object(
  {
    stop_id: Uuid,
    experiment_uid: Nullable(Type.String()),
    job_name: Nullable(Type.String()),
    job_source: Nullable(Type.String()),
    /** All jobs that run pumps, also those of plugins which only the unit has. `job_name` is then no job: a unit that does not know this field stops none. */
    stop_group: Type.Optional(Type.Literal('pumps')),
    reason: Type.String(),
    issued_at: Moment,
  },
  { title: 'DesiredStop' },
);
export type DesiredStop = Static<typeof DesiredStop>;

/** Liquid that a person removed from the vial or added to it, in the unit's experiment. */
export const DesiredVolumeNote = Type.Object(
  {
    note_id: Type.Integer(),
    kind: Type.Union([Type.Literal('sample_taken'), Type.Literal('media_added')]),
    volume_ml: Type.Number({ exclusiveMinimum: 0 }),
    /** When it was. */
    at: Type.Optional(Moment),
  },
  { title: 'DesiredVolumeNote' },
);
export type DesiredVolumeNote = Static<typeof DesiredVolumeNote>;

/** The desired state of a unit. */
export const DesiredState = Type.Object(
  {
    leader: Type.String(),
    leader_id: Uuid,
    version,
    leader_time: Moment,
    standing: Type.Union([Type.Literal('member'), Type.Literal('released')]),
    active: Type.Boolean(),
    experiment: Nullable(Type.Object({ name: Type.String(), uid: Uuid, assigned_at: Moment })),
    model: Nullable(DesiredModel),
    config: Type.Object({ shared: DesiredFile, own: DesiredFile }),
    stop: Type.Array(DesiredStop),
    /** The leader has people: from then on the unit accepts requests of its leader only. Absent: it has none. */
    has_people: Type.Optional(Type.Boolean()),
    /** All of them; absent: there are none. */
    volume_notes: Type.Optional(Type.Array(DesiredVolumeNote)),
  },
  { title: 'DesiredState' },
);
export type DesiredState = Static<typeof DesiredState>;

const DesiredPart = Type.Object({
  state: Type.Union([
    Type.Literal('applied'),
    Type.Literal('unchanged'),
    Type.Literal('pending'),
    Type.Literal('failed'),
  ]),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
});
const StoppedJob = Type.Object({ job_name: Type.String(), job_id: Type.Integer() });
const jobNames = Type.Array(Type.String());

/** What a unit has applied of the document. */
export const DesiredReport = Type.Object(
  {
    reactor_unit: Type.String(),
    leader_id: Nullable(Uuid),
    version: Type.Integer({ minimum: 0, description: '0: no document yet' }),
    applied_at: Nullable(Moment),
    parts: Type.Object({
      experiment: DesiredPart,
      active: DesiredPart,
      model: DesiredPart,
      config_shared: DesiredPart,
      config_own: DesiredPart,
      stop: DesiredPart,
    }),
    config: Type.Object({ shared: Type.Integer(), own: Type.Integer() }),
    restart_needed: Type.Array(Type.String()),
    stopped: Type.Array(
      Type.Object({ stop_id: Uuid, ended: Type.Array(StoppedJob), still_running: Type.Array(StoppedJob) }),
    ),
    resume: Nullable(Type.Object({ resumed: jobNames, held: jobNames, off: jobNames })),
  },
  { title: 'DesiredReport' },
);
export type DesiredReport = Static<typeof DesiredReport>;
