// Keeps the page of a run that is under way up to date: adds each event that the server tells, and loads the
// page again when the run has ended or waits. Without it the page says the same, once it is loaded again.
(() => {
  'use strict';
  const live = document.getElementById('live');
  if (!live || !window.EventSource) return;
  const state = document.getElementById('live-state');
  const list = document.getElementById('live-events');
  const now = state.firstChild.textContent;
  const say = (text) => { state.textContent = text; };
  const most = 500;
  const source = new EventSource(live.dataset.events);
  source.onopen = () => say(`${now}What happens is added here.`);
  source.onerror = () => say(source.readyState === EventSource.CLOSED
    ? 'The server tells nothing more. Load the page again.'
    : 'The connection is lost; it is tried again.');
  source.addEventListener('entry', (event) => {
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const entry = document.createElement('template');
    entry.innerHTML = event.data; // escaped by the server; the policy of the page lets no script run
    list.append(entry.content);
    while (list.children.length > most) list.firstElementChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  });
  source.addEventListener('end', () => { source.close(); location.reload(); });
})();
