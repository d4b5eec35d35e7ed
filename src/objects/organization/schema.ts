/**
 * The database of one organization. What a server offers (its items: tools, prompts, …) is kept by
 * revision: a row stands from `since` up to, not with, `until`; the current ones have no `until`. So a
 * change of one item writes two rows, and any kept revision can be read back whole. Bodies are stored
 * once, by hash.
 */
export const STEPS = [
  `CREATE TABLE organization (
     id TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER
   );
   CREATE TABLE servers (
     id TEXT PRIMARY KEY, slug TEXT, settings TEXT NOT NULL, revision INTEGER NOT NULL,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER
   );
   CREATE UNIQUE INDEX servers_slug ON servers (slug) WHERE deleted_at IS NULL;
   CREATE TABLE bodies (hash TEXT PRIMARY KEY, bytes INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE items (
     server TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, sort_order INTEGER NOT NULL,
     status TEXT NOT NULL, definition TEXT NOT NULL, binding TEXT NOT NULL,
     since INTEGER NOT NULL, until INTEGER,
     PRIMARY KEY (server, kind, name, since)
   ) WITHOUT ROWID;
   CREATE INDEX items_current ON items (server, kind, sort_order, created) WHERE until IS NULL;
   CREATE INDEX items_past ON items (server, until) WHERE until IS NOT NULL;
   CREATE INDEX items_definition ON items (definition);
   CREATE INDEX items_binding ON items (binding);
   CREATE TABLE revisions (
     server TEXT NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,
     act TEXT NOT NULL, settings TEXT NOT NULL, published_at INTEGER,
     PRIMARY KEY (server, revision)
   ) WITHOUT ROWID;
   CREATE TABLE publications (
     kind TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, published INTEGER NOT NULL,
     announced INTEGER NOT NULL,      put_at INTEGER NOT NULL, PRIMARY KEY (kind, name)
   ) WITHOUT ROWID;
   CREATE INDEX publications_due ON publications (put_at) WHERE published < version;
   CREATE INDEX publications_unannounced ON publications (announced) WHERE announced < published;
   CREATE TABLE names (
     kind TEXT NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL,
     PRIMARY KEY (kind, name)
   ) WITHOUT ROWID;
   CREATE INDEX names_loose ON names (kind, name) WHERE state <> 'held';
   CREATE TABLE credentials (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, server TEXT NOT NULL,
     tools TEXT, last_four TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,
     revoked_at INTEGER
   );
   CREATE INDEX credentials_server ON credentials (server);
   CREATE TABLE secrets (
     name TEXT PRIMARY KEY, sealed TEXT NOT NULL, created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL
   );
   CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL,
     act TEXT NOT NULL, target TEXT NOT NULL, detail TEXT NOT NULL
   );`,
  // Without an index: every call writes, and of 10,000 rows at most a reader can look at all.
  `CREATE TABLE calls (
     id INTEGER PRIMARY KEY, at INTEGER NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
     caller TEXT NOT NULL, outcome TEXT NOT NULL, status INTEGER, ms INTEGER NOT NULL,
     bytes INTEGER, problem TEXT
   );`,
  // What was read of remote servers: their lists as they gave them, and a JSON object of the rest.
  `CREATE TABLE snapshots (
     server TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL, body TEXT NOT NULL,
     PRIMARY KEY (server, kind, position)
   ) WITHOUT ROWID;
   CREATE INDEX snapshots_body ON snapshots (body);
   CREATE TABLE upstreams (server TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;`,
  // Members and agents, and their keys beside those of servers.
  `CREATE TABLE principals (
     id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, issuer TEXT, subject TEXT,
     role TEXT, permissions TEXT NOT NULL, settings TEXT NOT NULL, status TEXT NOT NULL,
     version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   );
   CREATE UNIQUE INDEX principals_external ON principals (issuer, subject) WHERE issuer IS NOT NULL;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT NOT NULL,
     server TEXT, tools TEXT, principal TEXT, environment TEXT, monthly_cap INTEGER,
     last_four TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER
   );
   INSERT INTO keys (id, hash, kind, name, server, tools, last_four, created_at, expires_at, revoked_at)
     SELECT id, hash, 'server', name, server, tools, last_four, created_at, expires_at, revoked_at
     FROM credentials;
   DROP TABLE credentials;
   ALTER TABLE keys RENAME TO credentials;
   CREATE INDEX credentials_server ON credentials (server);
   CREATE INDEX credentials_principal ON credentials (principal);`,
  // What there is for whom; an organization's gateway is published from here on.
  `ALTER TABLE organization ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
   ALTER TABLE organization ADD COLUMN status TEXT NOT NULL DEFAULT 'active';
   CREATE TABLE accounts (
     id TEXT PRIMARY KEY, server TEXT NOT NULL, owner TEXT, alias TEXT NOT NULL, identity TEXT,
     state TEXT NOT NULL, sealed TEXT NOT NULL, created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL
   );
   CREATE UNIQUE INDEX accounts_alias ON accounts (server, alias, COALESCE(owner, ''));
   CREATE INDEX accounts_owner ON accounts (owner, server);
   CREATE INDEX accounts_sealed_by ON accounts (substr(sealed, 4, instr(substr(sealed, 4), '.') - 1));
   CREATE INDEX secrets_sealed_by ON secrets (substr(sealed, 4, instr(substr(sealed, 4), '.') - 1));
   CREATE TABLE grants (
     id TEXT PRIMARY KEY, account TEXT NOT NULL, grantee TEXT NOT NULL, tools TEXT,
     created_at INTEGER NOT NULL
   );
   CREATE UNIQUE INDEX grants_once ON grants (account, grantee);
   CREATE INDEX grants_grantee ON grants (grantee);
   CREATE TABLE environments (
     name TEXT PRIMARY KEY, entries TEXT NOT NULL, created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL
   );
   CREATE TABLE usage (
     key TEXT NOT NULL, month TEXT NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (key, month)
   ) WITHOUT ROWID;
   INSERT INTO publications (kind, name, version, published, announced, put_at)
     SELECT 'surface', id, 1, 0, 0, 0 FROM organization;`,
  // Whose streams are to end: of a person that a member was, until its version then.
  `ALTER TABLE principals ADD COLUMN person_left INTEGER;`,
  // What differs by environment, what authorizes, and what a person said of remote tools.
  `ALTER TABLE secrets ADD COLUMN label TEXT;
   ALTER TABLE secrets ADD COLUMN connection TEXT;
   CREATE INDEX secrets_connection ON secrets (connection) WHERE connection IS NOT NULL;
   CREATE TABLE variables (
     id TEXT PRIMARY KEY, label TEXT NOT NULL UNIQUE, type TEXT NOT NULL, "values" TEXT NOT NULL,
     created_by TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   );
   CREATE TABLE connections (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, provider TEXT NOT NULL, auth TEXT NOT NULL,
     status TEXT NOT NULL, status_detail TEXT, status_at INTEGER, created_by TEXT NOT NULL,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   );
   CREATE TABLE approvals (
     server TEXT NOT NULL, tool TEXT NOT NULL, policy TEXT NOT NULL, hash TEXT NOT NULL,
     definition TEXT, whole_hash TEXT, approved_by TEXT NOT NULL, approved_at INTEGER NOT NULL,
     PRIMARY KEY (server, tool)
   ) WITHOUT ROWID;
   CREATE TABLE configurations (
     id TEXT PRIMARY KEY, server TEXT NOT NULL UNIQUE, extras TEXT NOT NULL,
     created_by TEXT NOT NULL, created_at INTEGER NOT NULL
   );
   INSERT INTO configurations (id, server, extras, created_by, created_at)
     SELECT 'mcps_' || lower(hex(randomblob(10))), id, '{}',
       COALESCE((
         SELECT actor FROM revisions WHERE server = servers.id AND actor <> 'upstream'
         ORDER BY revision LIMIT 1
       ), 'operator'), created_at
     FROM servers
     WHERE deleted_at IS NULL AND settings ->> '$.kind' = 'remote'
       AND settings ->> '$.account' IS NULL;`,
  // A row for each batch of calls; its entries stay as they came.
  `CREATE TABLE call_batches (
     id INTEGER PRIMARY KEY, at INTEGER NOT NULL, length INTEGER NOT NULL, entries TEXT NOT NULL
   );
   INSERT INTO call_batches (id, at, length, entries)
     SELECT id, at, 1, json_array(json_object('at', at, 'server', server, 'tool', tool,
       'caller', caller, 'outcome', outcome, 'status', status, 'ms', ms, 'bytes', bytes,
       'problem', problem)) FROM calls;
   DROP TABLE calls;`,
  // Which key sealed what KV holds: empty where nothing is sealed.
  `ALTER TABLE publications ADD COLUMN sealed_by TEXT NOT NULL DEFAULT '';
   CREATE INDEX publications_sealed_by ON publications (sealed_by);`,
  // Connecting accounts by links, and the tokens of those that end.
  `CREATE TABLE connects (
     id TEXT PRIMARY KEY, server TEXT NOT NULL, owner TEXT, alias TEXT NOT NULL,
     state TEXT NOT NULL, problem TEXT, account TEXT, browser TEXT, nonce TEXT, sealed TEXT,
     created_by TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX connects_expires ON connects (expires_at);
   CREATE TABLE oauth_clients (
     id TEXT PRIMARY KEY, sealed TEXT NOT NULL, ends_at INTEGER, created_at INTEGER NOT NULL
   );
   CREATE INDEX oauth_clients_sealed_by ON oauth_clients (substr(sealed, 4, instr(substr(sealed, 4), '.') - 1));
   ALTER TABLE accounts ADD COLUMN ends_at INTEGER;
   ALTER TABLE accounts ADD COLUMN lease TEXT;
   ALTER TABLE accounts ADD COLUMN lease_until INTEGER;`,
  // Calls that are held for a person.
  `CREATE TABLE held (
     n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, principal TEXT NOT NULL,
     credential TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL,
     account TEXT, environment TEXT, sealed TEXT, digest TEXT NOT NULL, state TEXT NOT NULL,
     decided_by TEXT, created_at INTEGER NOT NULL, decided_at INTEGER, due_at INTEGER NOT NULL,
     run TEXT, result TEXT
   );
   CREATE INDEX held_due ON held (due_at);
   CREATE INDEX held_open ON held (state, principal)
     WHERE state IN ('pending', 'approved', 'running');
   CREATE INDEX held_sealed_by ON held (substr(sealed, 4, instr(substr(sealed, 4), '.') - 1));`,
  // The tool as it was when a call of it was held.
  'ALTER TABLE held ADD COLUMN item TEXT;',
  // A batch of calls has the number of its first one for an id.
  `ALTER TABLE call_batches RENAME TO numbered_batches;
   CREATE TABLE call_batches (
     id INTEGER PRIMARY KEY, at INTEGER NOT NULL, length INTEGER NOT NULL, entries TEXT NOT NULL
   );
   INSERT INTO call_batches (id, at, length, entries)
     SELECT 1 + SUM(size) OVER (ORDER BY id) - size, at, size, entries FROM (
       SELECT id, at, entries, json_array_length(entries) AS size FROM numbered_batches);
   DROP TABLE numbered_batches;`,
]
