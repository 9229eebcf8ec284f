import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** Instead of a task: another run of the same operation is in progress. */
export const LockedAnswer = closed(
  {
    status: Type.Literal('running'),
    lock: Type.String(),
    retry_after_s: Type.Integer(),
    remediation: Type.String(),
  },
  { title: 'LockedAnswer' },
);
export type LockedAnswer = Static<typeof LockedAnswer>;

export const ClockReading = closed(
  { status: Type.Literal('success'), clock_time: Timestamp },
  { title: 'ClockReading' },
);

export const SetClock = closed(
  {
    utc_clock_time: Type.Optional(
      Type.String({
        maxLength: textLimit,
        description: 'RFC 3339 with a zone, 2020 to 2100. Without it a unit uses the time of its leader',
      }),
    ),
  },
  { title: 'SetClock' },
);

export const SetAllClocks = closed(
  {
    utc_clock_time: Type.String({ maxLength: textLimit, description: 'RFC 3339 with a zone, 2020 to 2100' }),
    force: Type.Optional(Type.Boolean({ description: 'Also more than 24 hours back while an experiment has workers' })),
  },
  { title: 'SetAllClocks' },
);

export const FolderListing = closed(
  {
    current: Type.String({ description: 'Relative to the data folder; empty for itself' }),
    dirs: Type.Array(Type.String()),
    files: Type.Array(Type.String()),
  },
  { title: 'FolderListing' },
);
export type FolderListing = Static<typeof FolderListing>;

export const RemoveFile = closed(
  {
    filepath: Type.String({
      maxLength: textLimit,
      minLength: 1,
      description: 'Relative to the data folder, or absolute inside it',
    }),
  },
  { title: 'RemoveFile' },
);

export const Ipv4Addresses = closed(
  { ipv4_address: Type.String({ description: 'All of them, joined by commas' }) },
  { title: 'Ipv4Addresses' },
);

export const Space = closed({ available_bytes: Type.Integer(), total_bytes: Type.Integer() }, { title: 'Space' });
export type Space = Static<typeof Space>;

export const WebServerStatus = closed(
  {
    service: Type.String(),
    state: Type.Union([Type.Literal('ready'), Type.Literal('disconnected')]),
    raw_status: Type.String(),
  },
  { title: 'WebServerStatus' },
);

/** What a task of repairing returns. */
export const Repaired = closed(
  {
    success: Type.Boolean(),
    repair: closed({ returncode: Type.Integer(), stdout: Type.String(), stderr: Type.String() }),
    status: closed({
      returncode: Type.Integer(),
      stdout: Type.String(),
      stderr: Type.String(),
      payload: closed({
        status: Type.String({ description: 'OK, WARN or FAIL: the worst of the checks' }),
        checks: Type.Array(closed({ name: Type.String(), status: Type.String(), details: Type.String() })),
      }),
    }),
  },
  { title: 'Repaired' },
);
export type Repaired = Static<typeof Repaired>;

export const UpdateNode = Type.Object(
  {
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: '`source`: the upload_id of an archive, or `version`: of a configured folder of releases',
      }),
    ),
    args: Type.Optional(Type.Array(Type.String({ maxLength: textLimit }), { description: 'Must be empty' })),
  },
  { title: 'UpdateNode' },
);

export const Uploaded = closed(
  {
    message: Type.String(),
    save_path: Type.String({ description: 'Identifies the file for other routes, like upload_id' }),
    upload_id: Type.String(),
    sha256: Type.String(),
  },
  { title: 'Uploaded' },
);

const mount = {
  mountpoint: Type.String(),
  writable: Type.Boolean(),
  free_bytes: Type.Integer(),
};

const partition = {
  device: Type.String(),
  parent_device: Nullable(Type.String()),
  label: Nullable(Type.String()),
  uuid: Nullable(Type.String()),
  fstype: Nullable(Type.String()),
  size_bytes: Type.Integer(),
  mountpoints: Type.Array(Type.String()),
  removable: Type.Boolean(),
  mounted: Type.Boolean(),
  display_name: Type.String(),
  reactor_mountpoint: Type.String({ description: 'Where it is, or would be, mounted by this node' }),
};

export const UsbPartition = closed(
  {
    ...partition,
    unsupported_reason: Nullable(Type.String()),
    mountpoint: Type.Optional(mount.mountpoint),
    writable: Type.Optional(mount.writable),
    free_bytes: Type.Optional(mount.free_bytes),
  },
  { title: 'UsbPartition' },
);
export type UsbPartition = Static<typeof UsbPartition>;

export const UsbMount = closed({ ...partition, ...mount }, { title: 'UsbMount' });
export type UsbMount = Static<typeof UsbMount>;

export const UsbStatus = closed(
  {
    status: Type.String({
      description: 'absent, present_unmounted, mounted, mounted_readonly, unsupported, multiple_present or error',
    }),
    partitions: Type.Array(UsbPartition),
    active_mount: Nullable(UsbMount),
    error: Type.Optional(Type.String()),
  },
  { title: 'UsbStatus' },
);
export type UsbStatus = Static<typeof UsbStatus>;

export const ChooseUsb = closed(
  {
    device: Type.Optional(
      Nullable(Type.String({ maxLength: textLimit, description: 'Absent or null: the only drive' })),
    ),
  },
  { title: 'ChooseUsb' },
);

export const UsbArtifacts = closed(
  {
    mountpoint: Type.String(),
    updates: Type.Array(closed({ path: Type.String(), version: Type.String(), verified: Type.Boolean() })),
    plugins: Type.Array(
      closed({
        path: Type.String(),
        name: Type.String(),
        version: Nullable(Type.String()),
        kind: Type.Union([Type.Literal('package'), Type.Literal('file')]),
      }),
    ),
    writable: Type.Boolean(),
    free_bytes: Type.Integer(),
  },
  { title: 'UsbArtifacts' },
);
export type UsbArtifacts = Static<typeof UsbArtifacts>;

export const UpdateFromArchive = closed(
  {
    release_archive_location: Type.String({
      maxLength: textLimit,
      description: 'save_path or upload_id of an upload, or a file on a mounted USB drive',
    }),
    units: Type.Union(
      [Type.String({ maxLength: textLimit }), Type.Array(Type.String({ maxLength: textLimit }), { minItems: 1 })],
      {
        description: '`$broadcast`, a unit, or several units',
      },
    ),
  },
  { title: 'UpdateFromArchive' },
);

export const UpdateToNextVersion = closed(
  {
    units: Type.Optional(
      Type.Union(
        [Type.String({ maxLength: textLimit }), Type.Array(Type.String({ maxLength: textLimit }), { minItems: 1 })],
        { description: 'Default: `$broadcast`' },
      ),
    ),
  },
  { title: 'UpdateToNextVersion' },
);

export const LocalAccessPoint = closed({ active: Type.Boolean() }, { title: 'LocalAccessPoint' });
export const LocalAccessPointResult = closed({ result: Type.Boolean() }, { title: 'LocalAccessPointResult' });
