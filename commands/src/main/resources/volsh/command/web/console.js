'use strict';
// Shows what the commands of volsh answer, as they answer it: see ConsoleCommand.java for the list. Everything is put on the page as
// text, never as HTML: names of files and volumes are other people's.

const HISTORY_MS = 5 * 60 * 1000;
const EPOCHS = 5;   // shown of each cache
const FAILURES = 3;   // shown of each panel
const ROWS = 100;   // shown of a long table
const state = { stats: [], newest: {}, late: {}, ahead: 0 };   // ahead: the server's clock, seen from ours

const $ = id => document.getElementById(id);

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const child of children) {
    if (child !== null && child !== undefined && child !== '') node.append(child);
  }
  return node;
}

function bytes(n) {
  if (n === null || n === undefined) return 'unknown';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (Math.abs(n) >= 1024 && unit < units.length - 1) { n /= 1024; unit++; }
  return (unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)) + ' ' + units[unit];
}
const rate = n => bytes(n) + '/s';
function seconds(s) {
  if (s === null || s === undefined) return 'unknown';
  if (s === 0) return '0 s';
  if (s < 0.001) return Math.round(s * 1e6) + ' µs';
  if (s < 1) return (s * 1e3).toFixed(s < 0.01 ? 1 : 0) + ' ms';
  if (s < 90) return Math.round(s) + ' s';
  if (s < 5400) return Math.round(s / 60) + ' min';
  if (s < 129600) return Math.round(s / 3600) + ' h';
  return Math.round(s / 86400) + ' days';
}
const since = time => time ? seconds(Math.max(0, Math.round((Date.now() + state.ahead - new Date(time)) / 1000))) + ' ago' : '–';
/** A time that is told anew every second. */
function ago(time) {
  const node = make('span', '', since(time));
  if (time) node.dataset.time = time;
  return node;
}
const tick = () => document.querySelectorAll('[data-time]').forEach(node => {
  node.textContent = since(isNaN(node.dataset.time) ? node.dataset.time : Number(node.dataset.time));
});
const count = n => n === null || n === undefined ? 'unknown' : n.toLocaleString('en');
const plural = (n, word) => n + ' ' + word + (n === 1 ? '' : 's');

const GOOD = new Set(['ok', 'valid', 'done', 'running', 'in use', 'info']);
const WARN = new Set(['failing', 'at risk', 'full', 'nearly full', 'warning', 'saving', 'slow', 'other version', 'cancelled', 'lost']);
const colour = word => GOOD.has(word) ? 'good' : WARN.has(word) ? 'warn' : 'bad';
const pill = word => make('span', 'pill ' + colour(word), word);

function copyable(command) {
  const button = make('button', '', 'copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    try { await navigator.clipboard.writeText(command); button.textContent = 'copied'; } catch { button.textContent = 'select it'; }
    setTimeout(() => { button.textContent = 'copy'; }, 1500);
  });
  return make('span', 'next', make('code', '', command), button);
}

/** A text that is broken into lines behind slashes first: a path. */
function path(text) {
  const whole = make('span');
  String(text).split(/(?<=[^/]\/)(?=[^/])/).forEach((part, i) => { if (i > 0) whole.append(make('wbr')); whole.append(part); });
  return whole;
}

/** A table of rows; columns are [heading, cell of a row, isNumber]. */
function table(rows, columns, empty) {
  if (rows.length === 0) return make('p', 'empty', empty);
  const head = make('tr');
  for (const [title, , number] of columns) head.append(make('th', number ? 'n' : '', title));
  const body = make('tbody');
  for (const row of rows) {
    const line = make('tr');
    for (const [title, cell, number] of columns) {
      const td = make('td', number ? 'n' : '', cell(row));
      td.dataset.label = title;
      line.append(td);
    }
    body.append(line);
  }
  return make('table', '', make('thead', '', head), body);
}

const svg = (tag, attributes) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

/** Lines over the last five minutes; each series is [class, points of [time, value]]. */
function spark(series, now) {
  const picture = svg('svg', { class: 'spark', viewBox: '0 0 300 34', preserveAspectRatio: 'none', role: 'img' });
  const most = Math.max(1e-9, ...series.flatMap(([, points]) => points.map(p => p[1])));
  const label = svg('title', {});
  label.textContent = 'the last five minutes';
  picture.append(label, svg('line', { class: 'base', x1: 0, x2: 300, y1: 33, y2: 33 }));
  for (const [name, points] of series) {
    if (points.length > 1) {
      const path = points.map(([t, v]) => `${(300 * (1 - (now - t) / HISTORY_MS)).toFixed(1)},${(32 - 30 * v / most).toFixed(1)}`);
      picture.append(svg('polyline', { class: name, points: path.join(' ') }));
    }
  }
  return picture;
}

function stage(name, value, small, series, narrow, now) {
  return make('div', 'stage' + (narrow ? ' narrow' : ''), make('div', 'name', name), make('div', 'value', value),
    make('div', 'small', small), spark(series, now));
}

function showMounts() {
  const last = state.stats[state.stats.length - 1];
  if (!last) return;
  const rows = last.rows;
  const now = last.time;
  const cards = rows.map(row => {
    const past = state.stats.flatMap(sample => sample.rows.filter(r => r.mount === row.mount).map(r => [sample.time, r]));
    const line = (name, value) => [name, past.map(([t, r]) => [t, value(r)])];
    const listed = rowsOf('mounts').find(m => m.mountPoint === row.mount) || {};
    const narrow = row.stage;
    const title = make('h2', '', path(row.mount), make('span', 'soft', listed.source || row.source), listed.state ? pill(listed.state) : '',
      make('span', 'soft', `${count(row.ops)} requests/s`));
    const chain = make('div', 'chain',
      stage('store', rate(row.fromStoreBytesPerSecond), row.getSeconds ? `${seconds(row.getSeconds)} a get` : 'no gets',
        [line('a', r => r.fromStoreBytesPerSecond)], narrow === 'store', now),
      stage('cache', `${row.hits.toFixed(0)} % hits`, 'of the frames asked for', [line('a', r => r.hits)], narrow === 'cache', now),
      stage('mount', rate(row.readBytesPerSecond), row.readTimeSeconds ? `${seconds(row.readTimeSeconds)} a read` : 'no reads',
        [line('a', r => r.readBytesPerSecond)], narrow === 'mount', now),
      stage('job', `${row.underWay.toFixed(1)} at once`, `writes ${rate(row.writtenBytesPerSecond)}`,
        [line('a', r => r.underWay), line('b', r => r.writtenBytesPerSecond / 1e6)], narrow === 'job', now));
    const told = row.narrowest === 'none' ? make('p', 'small', 'Storage is not what the job waits for.')
      : make('p', 'small', `${row.narrowest}: ${row.evidence}. `, row.fix.startsWith('volsh ') ? copyable(row.fix) : row.fix);
    return make('div', 'mount', title, chain, told);
  });
  $('mounts').replaceChildren(...cards);
}

/** The newest answers of all parts of a panel. */
const answers = name => Object.values(state.newest[name] || {}).flatMap(message => message.answers);
const rowsOf = name => answers(name).flatMap(answer => answer.rows || []);

function fill(id, name, ...body) {
  const panel = $(id);
  const failed = [...new Map(answers(name).filter(answer => answer.failure).map(answer => [answer.failure.message, answer.failure])).values()];
  const failures = failed.slice(0, FAILURES).map(failure => make('p', 'failure', failure.message, ...failure.hints.map(copyable)));
  if (failed.length > FAILURES) failures.push(make('p', 'failure', `and ${plural(failed.length - FAILURES, 'failure')} more`));
  panel.querySelector('.body').replaceChildren(...failures, ...body);
  const commands = answers(name).map(answer => answer.command).filter(Boolean);
  const told = commands.length > 1 ? [short(commands[0]), make('span', '', `and ${commands.length - 1} more`)] : commands.map(short);
  const parts = Object.values(state.newest[name] || {});
  const asked = parts.length > 0 && parts.length < parts[0].parts ? `${parts.length} of ${parts[0].parts} parts asked so far` : '';
  panel.querySelector('footer').replaceChildren(...told.map(each => typeof each === 'string' ? make('code', '', each) : each),
    make('span', '', asked), make('span', '', parts.length > 0 ? ago(Math.min(...parts.map(part => part.time))) : ''),
    make('span', 'late', lateness(name)));
}

const lateness = name => state.late[name] ? `no answer for ${state.late[name]} s` : '';
const short = command => command.split(' ').length > 4 ? command.split(' ').slice(0, 3).join(' ') + ' …' : command;

/** What a hanging command leaves: the last answer, and for how long there has been no new one. */
function showLate(name) {
  for (const id of PANELS[name] || []) {
    const footer = $(id).querySelector('footer');
    let told = footer.querySelector('.late');
    if (!told) { told = make('span', 'late'); footer.append(told); }
    told.textContent = lateness(name);
    const body = $(id).querySelector('.body');
    if (body.textContent === '…') body.textContent = 'Asking…';
  }
  const section = $('verdict');
  if (name === 'status' && state.late.status && !state.newest.status) {
    section.className = 'verdict warn';
    section.replaceChildren(make('h2', '', `The status of this machine is unknown: no answer for ${state.late.status} s.`));
  }
  const stuck = state.late.stats || state.late.mounts;
  $('stuck').textContent = stuck ? `The mounts have not answered for ${stuck} s: what is shown of them is old.` : '';
}
const PANELS = { status: ['durability', 'stores'], volumes: ['volumes'], caches: ['caches'], checkpoints: ['checkpoints'], jobs: ['jobs'], events: ['events'] };

function showVerdict() {
  const rows = rowsOf('status');
  const failures = answers('status').filter(answer => answer.failure);
  const problems = rows.filter(row => row.health !== 'ok');
  const section = $('verdict');
  const worst = failures.length > 0 || problems.some(p => colour(p.health) === 'bad') ? 'bad' : problems.length > 0 ? 'warn' : 'good';
  section.className = 'verdict ' + worst;
  const title = failures.length > 0 ? 'The status of this machine is unknown.'
    : problems.length === 0 ? 'All is well.' : `${plural(problems.length, 'problem')}.`;
  const list = problems.map(row => make('div', 'problem', make('div', '', pill(row.health), ` ${row.kind} ${row.name}: ${row.about}`),
    row.next ? copyable(row.next) : ''));
  section.replaceChildren(make('h2', '', title), ...failures.map(f => make('p', 'failure', f.failure.message)), ...list);
  document.title = (problems.length > 0 ? `(${problems.length}) ` : '') + 'volsh console';
  showDurability(rows);
  fill('stores', 'status', table(rows.filter(row => row.kind === 'store'), [
    ['Store', row => row.name], ['State', row => pill(row.health)], ['Where', row => path(row.about)]], 'There are no stores.'));
}

function showDurability(rows) {
  const mounts = rows.filter(row => row.kind === 'mount');
  const unknown = mounts.some(row => row.atRiskBytes === null);
  const lost = mounts.reduce((sum, row) => sum + (row.atRiskBytes || 0), 0);
  const commits = mounts.reduce((sum, row) => sum + (row.commits || 0), 0);
  const oldest = mounts.map(row => row.since).filter(Boolean).sort()[0];
  const nothing = lost === 0 && commits === 0 && !unknown;
  fill('durability', 'status',
    make('div', 'big ' + (nothing ? 'good' : 'warn'), nothing ? 'nothing' : (unknown ? 'at least ' : '') + bytes(lost)),
    make('p', 'small', nothing ? 'All that programs wrote and closed is in the stores.'
      : `${commits > 0 ? plural(commits, 'metadata change') + ' not in the store yet; ' : ''}the oldest was written ${since(oldest)}.`),
    table(mounts.filter(row => row.atRiskBytes || row.commits || row.atRiskBytes === null), [
      ['Mount', row => row.name], ['Bytes', row => bytes(row.atRiskBytes), true], ['Changes', row => count(row.commits), true],
      ['Oldest', row => ago(row.since), true]], ''));
}

function showVolumes() {
  const all = [...new Map(rowsOf('volumes').map(row => [row.volume, row])).values()];
  const rows = all.length > ROWS ? all.sort((a, b) => (b.usedBytes || 0) - (a.usedBytes || 0)).slice(0, ROWS) : all;
  const more = all.length > ROWS ? make('p', 'small', `The ${ROWS} fullest of ${count(all.length)} volumes.`) : '';
  fill('volumes', 'volumes', more, table(rows, [
    ['Volume', row => row.volume], ['Store', row => row.store], ['Used', row => bytes(row.usedBytes), true],
    ['Files', row => count(row.files), true], ['Stored', row => bytes(row.storedBytes), true],
    ['Ratio', row => row.ratio === null ? '–' : row.ratio.toFixed(2), true],
    ['Reclaimable', row => bytes(row.reclaimableBytes), true], ['Free', row => bytes(row.freeBytes), true]], 'There are no volumes yet.'));
}

function showCaches() {
  const ratio = row => {
    if (row.ratio === null) return '–';
    const meter = make('meter');
    meter.max = 100;
    meter.value = row.ratio;
    return make('span', '', meter, ` ${row.ratio} %`);
  };
  const tiers = Map.groupBy(rowsOf('caches'), row => row.tier === 'memory' ? `memory of ${row.mount}` : row.tier);
  const blocks = [...tiers].flatMap(([tier, rows]) => [make('h3', '', path(tier)), table(rows.slice(-EPOCHS), [
    ['Epoch', row => row.pass + (row.state === 'running' ? ' (now)' : '')], ['Read', row => bytes(row.readBytes), true],
    ['Hits', ratio, true]], '')]);
  fill('caches', 'caches', ...(blocks.length > 0 ? blocks : [make('p', 'empty', 'No cache has been read from yet.')]));
}

function showCheckpoints() {
  const runs = [];
  for (const answer of answers('checkpoints')) {
    const volume = answer.command.split(' ').pop();
    for (const row of answer.rows || []) {
      const run = runs.find(r => r.volume === volume && r.run === row.run) || { volume, run: row.run, rows: [] };
      if (run.rows.length === 0) runs.push(run);
      run.rows.push(row);
    }
  }
  const shown = runs.slice(0, ROWS / 5);
  const blocks = shown.flatMap(run => [
    make('h3', '', `${run.volume} · ${run.run}`, make('span', 'soft', ` ${plural(run.rows.length, 'checkpoint')}, ${bytes(run.rows.reduce((s, r) => s + r.newBytes, 0))} stored`)),
    table(run.rows.slice().sort((a, b) => b.step - a.step).slice(0, 5), [
      ['Step', row => count(row.step) + (row.latest ? ' (latest)' : ''), true], ['State', row => pill(row.state)],
      ['Size', row => bytes(row.sizeBytes), true], ['New', row => bytes(row.newBytes), true], ['Saved', row => ago(row.saved), true],
      ['Metrics', row => Object.entries(row.metrics || {}).map(([k, v]) => `${k}=${v}`).join(' ')]], '')]);
  if (shown.length < runs.length) blocks.unshift(make('p', 'small', `${shown.length} of ${runs.length} runs.`));
  fill('checkpoints', 'checkpoints', ...(blocks.length > 0 ? blocks : [make('p', 'empty', 'There are no checkpoints.')]));
}

function showJobs() {
  fill('jobs', 'jobs', table(rowsOf('jobs'), [
    ['Job', row => row.job || row.name], ['State', row => pill(row.state)], ['What', row => row.title || row.command], ['Started', row => ago(row.started), true]],
  'There are no background jobs.'));
}

function showEvents() {
  fill('events', 'events', table(rowsOf('events').slice(-15).reverse(), [
    ['When', row => ago(row.time)], ['Level', row => pill(row.level)], ['Of', row => path(row.subject)], ['What', row => path(row.text)]],
  'Nothing happened in the last hour.'));
}

const SHOW = { status: showVerdict, volumes: showVolumes, caches: showCaches, checkpoints: showCheckpoints, jobs: showJobs,
  events: showEvents, mounts: showMounts };

function keepStats(message) {
  const rows = message.answers.flatMap(answer => answer.rows || []);
  state.stats.push({ time: message.time, rows });
  state.stats = state.stats.filter(sample => sample.time > message.time - HISTORY_MS);
}

function receive(message) {
  if (message.time) state.ahead = message.time - Date.now();
  if (message.panel === 'history') {
    state.stats = [];
    message.messages.forEach(keepStats);
    showMounts();
  } else if (message.panel === 'stats') {
    if (state.late.stats) { delete state.late.stats; showLate('stats'); }
    keepStats(message);
    showMounts();
  } else if (message.panel === 'late') {
    state.late[message.of] = message.seconds;
    showLate(message.of);
  } else {
    if (state.late[message.panel]) { delete state.late[message.panel]; showLate(message.panel); }
    const parts = state.newest[message.panel] || {};
    parts[message.part] = message;
    for (const part of Object.keys(parts)) if (part >= message.parts) delete parts[part];
    state.newest[message.panel] = parts;
    (SHOW[message.panel] || (() => {}))();
  }
  document.body.dataset.seen = Object.keys(state.newest).sort().join(' ');   // for those who wait for the page to be filled
}

function live(word, kind) {
  $('live').textContent = word;
  $('live').className = 'pill ' + kind;
  document.body.classList.toggle('stale', kind === 'bad');
}

function connect() {
  const source = new EventSource('live');
  source.onopen = () => live('live', 'good');
  source.onerror = () => live('no connection: what you see is old', 'bad');   // the browser connects again by itself
  source.onmessage = event => receive(JSON.parse(event.data));
}

fetch('about.json').then(answer => answer.json()).then(about => {
  $('about').textContent = [about.context, about.host, about.home, 'version ' + about.version].filter(Boolean).join(' · ');
});
connect();
setInterval(tick, 1000);
