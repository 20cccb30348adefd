from .experiment import Design as Design
from .experiment import Experiment as Experiment
from .experiment import Measurement as Measurement
from .routing import Routing as Routing
from .routing import route as route
