// The settings of the embedded server, each with its reason. They are arguments of the process, not a file in the
// cluster, so a newer release brings its own settings and no manual edit can contradict them.
import { totalmem } from 'node:os';

const mebibyte = 1_048_576;

/** The arguments of the postmaster, without the program. */
export function postmasterArguments(cluster: string, socketFolder: string, port: number): string[] {
  const settings = [...fixedSettings, ...memorySettings(usableMemoryBytes())];
  // The setting is a comma-separated list, so a folder name is quoted like an identifier.
  settings.push(['unix_socket_directories', `"${socketFolder.replaceAll('"', '""')}"`], ['port', String(port)]);
  return ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

type Setting = readonly [name: string, value: string];

const fixedSettings: readonly Setting[] = [
  // Reachable through the socket alone: no port is opened, and only the owner may connect.
  ['listen_addresses', ''],
  ['unix_socket_permissions', '0700'],
  // Acknowledged writes survive a power cut. Both are the defaults, written down because they are a promise.
  ['fsync', 'on'],
  ['synchronous_commit', 'on'],
  // Several processes with pools of ten, the command line beside them, and some for manual use.
  ['max_connections', '100'],
  // Idle memory and processes: reads without the three I/O workers, and no replication launcher.
  ['io_method', 'sync'],
  ['max_logical_replication_workers', '0'],
  // Huge pages would make the whole buffer resident at the start.
  ['huge_pages', 'off'],
  // Parallel plans and statistics take shared memory from the main segment first: /dev/shm has 64 MB in containers,
  // and systemd empties it when an ordinary user logs out. Pages that nobody touches cost nothing.
  ['min_dynamic_shared_memory', '32MB'],
  // An import writes for minutes: fewer forced checkpoints, at most 2 GB of disk, and recovery within seconds.
  ['max_wal_size', '2GB'],
  ['min_wal_size', '128MB'],
  // All commits wait while the next 16 MB of the log are made: filling them with zeros first takes 30 ms.
  ['wal_init_zero', 'off'],
  // A commit also waits until the log of larger transactions before it is on disk, so that is written as they go on.
  ['wal_writer_delay', '20ms'],
  ['wal_writer_flush_after', '128kB'],
  // Data is on flash nearly everywhere; the default of 4 is the cost of random access on spinning disks.
  ['random_page_cost', '1.1'],
  // Statements are short and repeated; compiling one costs more than running it.
  ['jit', 'off'],
  // The statement of a killed client ends within seconds, instead of holding its locks until it is done.
  ['client_connection_check_interval', '5s'],
  ['timezone', 'UTC'],
  ['log_timezone', 'UTC'],
  // One log file, emptied at a start if it has grown. Errors of statements are left out: the service gets all of them,
  // and their details quote values of records.
  ['log_destination', 'stderr'],
  ['logging_collector', 'off'],
  ['log_min_messages', 'log'],
  ['log_min_error_statement', 'panic'],
  ['log_checkpoints', 'off'],
  ['log_line_prefix', '%m [%p] '],
  // Distinguishes the processes from those of another PostgreSQL on the machine.
  ['cluster_name', 'orrery'],
];

/** An eighth of the memory for PostgreSQL's own cache, because the kernel caches the same files once more. */
function memorySettings(memoryBytes: number): Setting[] {
  const sharedBuffers = Math.min(512, Math.max(32, Math.floor(memoryBytes / 8 / mebibyte)));
  const cacheSize = Math.max(64, Math.floor(memoryBytes / 2 / mebibyte));
  return [
    ['shared_buffers', `${sharedBuffers}MB`],
    ['effective_cache_size', `${cacheSize}MB`],
  ];
}

/** The memory of the machine, or of the container where that is smaller. */
function usableMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
