from .pooling import Homogeneity as Homogeneity
from .pooling import homogeneity as homogeneity
from .pooling import homogeneity_power as homogeneity_power
from .routing import Routing as Routing
from .routing import route as route
